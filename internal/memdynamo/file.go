package memdynamo

import (
	"fmt"
	"os"
	"path/filepath"
)

// SaveFile writes a snapshot to a file. The file changes at once and as a whole: after an error, or a crash, it is as it
// was before.
func (db *DB) SaveFile(name string) (err error) {
	temp, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.tmp")
	if err != nil {
		return fmt.Errorf("memdynamo: save: %w", err)
	}
	defer func() {
		if err != nil {
			_ = temp.Close()
			_ = os.Remove(temp.Name())
		}
	}()
	if err := db.Snapshot(temp); err != nil {
		return err
	}
	if err := temp.Sync(); err != nil {
		return fmt.Errorf("memdynamo: save: %w", err)
	}
	if err := temp.Close(); err != nil {
		return fmt.Errorf("memdynamo: save: %w", err)
	}
	if err := os.Rename(temp.Name(), name); err != nil {
		return fmt.Errorf("memdynamo: save: %w", err)
	}
	return nil
}

// LoadFile replaces everything in the engine by the snapshot in a file. The error wraps fs.ErrNotExist if there is no
// such file; after any error the engine is as it was before.
func (db *DB) LoadFile(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("memdynamo: load: %w", err)
	}
	defer f.Close()
	return db.Restore(f)
}
