package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/usercore-go/usercore/internal/memdynamo"
)

const (
	// dataFormat is how a data file begins. A line of keys follows from fileHeader, then the snapshot of the tables.
	dataFormat = "usercore-server/1"
	// saveInterval is the longest time that a change is in memory only.
	saveInterval = time.Second
	// ttlLag is how long expired items stay; the service itself takes up to a few days.
	ttlLag = time.Minute

	signingKeyBits  = 2048
	codeSecretBytes = 32
)

// keys make the tokens and codes of an earlier run valid in the next.
type keys struct {
	signing *rsa.PrivateKey
	code    []byte
}

func newKeys() (keys, error) {
	signing, err := rsa.GenerateKey(rand.Reader, signingKeyBits)
	if err != nil {
		return keys{}, fmt.Errorf("making a signing key: %w", err)
	}
	code := make([]byte, codeSecretBytes)
	_, _ = rand.Read(code) // never fails, see crypto/rand
	return keys{signing: signing, code: code}, nil
}

// data is what a server has to remember: the tables and the keys. It is saved by one goroutine at a time.
type data struct {
	file string // empty: nothing is saved
	db   *memdynamo.DB
	keys keys
	// saved is the count of changes that the file has.
	saved float64
}

// openData reads a data file. Without a name, or when there is no such file, it begins with empty tables and new keys.
func openData(file string) (*data, error) {
	d := &data{file: file, db: memdynamo.New(memdynamo.Options{TTLLag: ttlLag})}
	err := fs.ErrNotExist
	if file != "" {
		err = d.load()
	}
	if errors.Is(err, fs.ErrNotExist) {
		d.keys, err = newKeys()
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}

// fileHeader is the first line of a data file.
type fileHeader struct {
	Format     string `json:"format"`
	SigningKey []byte `json:"signingKey"` // PKCS #8
	CodeSecret []byte `json:"codeSecret"`
}

func (d *data) load() error {
	file, err := os.Open(d.file)
	if err != nil {
		return fmt.Errorf("-data: %w", err)
	}
	defer file.Close()
	content := bufio.NewReader(file)
	if d.keys, err = readKeys(content); err != nil {
		return fmt.Errorf("-data %s: %w", d.file, err)
	}
	if err := d.db.Restore(content); err != nil {
		return fmt.Errorf("-data %s: %w", d.file, err)
	}
	return nil
}

func readKeys(content *bufio.Reader) (keys, error) {
	line, err := content.ReadBytes('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return keys{}, err
	}
	var header fileHeader
	if err := json.Unmarshal(line, &header); err != nil || header.Format != dataFormat {
		return keys{}, fmt.Errorf("the file does not begin with the format %s", dataFormat)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(header.SigningKey)
	signing, isRSA := parsed.(*rsa.PrivateKey)
	if err != nil || !isRSA {
		return keys{}, errors.New("the signing key is not an RSA key in PKCS #8")
	}
	if len(header.CodeSecret) != codeSecretBytes {
		return keys{}, fmt.Errorf("the code secret has %d bytes, not %d", len(header.CodeSecret), codeSecretBytes)
	}
	return keys{signing: signing, code: header.CodeSecret}, nil
}

// keep saves changes until ctx ends. A failure is logged, and the next try follows.
func (d *data) keep(ctx context.Context, logger *slog.Logger) error {
	ticker := time.NewTicker(saveInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		if err := d.saveChanges(); err != nil {
			logger.Error("changes are in memory only", "error", err)
		}
	}
}

// saveChanges saves if something was written since the last time.
func (d *data) saveChanges() error {
	if d.changes() == d.saved {
		return nil
	}
	return d.save()
}

// changes counts what has changed the tables: it moves with every write, and with every request that may have changed a table itself.
func (d *data) changes() float64 {
	usage := d.db.Usage()
	definitions := usage.Requests["CreateTable"] + usage.Requests["DeleteTable"] + usage.Requests["UpdateTimeToLive"]
	return usage.WriteUnits + float64(definitions)
}

// save replaces the data file as a whole: after an error, or a crash, it is as it was before.
func (d *data) save() (err error) {
	if d.file == "" {
		return nil
	}
	written := d.changes() // before the snapshot: what comes in between is saved twice rather than never
	temp, err := os.CreateTemp(filepath.Dir(d.file), filepath.Base(d.file)+".*.tmp")
	if err != nil {
		return fmt.Errorf("-data: %w", err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("-data: %w", err)
			_ = temp.Close()
			_ = os.Remove(temp.Name())
		}
	}()
	if err := d.write(temp); err != nil {
		return err
	}
	if err := errors.Join(temp.Sync(), temp.Close()); err != nil {
		return err
	}
	if err := os.Rename(temp.Name(), d.file); err != nil {
		return err
	}
	d.saved = written
	return nil
}

func (d *data) write(w io.Writer) error {
	signing, err := x509.MarshalPKCS8PrivateKey(d.keys.signing)
	if err != nil {
		return err
	}
	header := fileHeader{Format: dataFormat, SigningKey: signing, CodeSecret: d.keys.code}
	if err := json.NewEncoder(w).Encode(header); err != nil { // with a line break at the end
		return err
	}
	return d.db.Snapshot(w)
}
