package main

import (
	"bytes"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/userstore"
)

// TestDataIsKept stops a server between the mailing of a code and its confirmation. Token, code and limits outlive it.
func TestDataIsKept(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "usercore.data")
	first := start(t, "-data", file)
	c, _ := newClient(t, first.api).newUser("ada@example.com")
	one := "/v1/users/me/emails/" + c.addEmail("ada.work@example.com")
	code := c.code("ada.work@example.com")
	c.expect(http.StatusOK, "POST", one+"/verify", "")
	profile := c.expect(http.StatusOK, "GET", "/v1/users/me", "").body
	keySet := c.expect(http.StatusOK, "GET", "/.well-known/jwks.json", "").body
	require.Equal(t, exitOK, first.stop())

	c = c.at(start(t, "-data", file).api)
	assert.Equal(t, profile, c.expect(http.StatusOK, "GET", "/v1/users/me", "").body)
	assert.Equal(t, keySet, c.expect(http.StatusOK, "GET", "/.well-known/jwks.json", "").body)
	c.expect(http.StatusConflict, "POST", "/dev/users", `{"email":"ada@example.com"}`)
	c.expect(http.StatusOK, "POST", one+"/verify", "")
	c.expect(http.StatusTooManyRequests, "POST", one+"/verify", "")
	c.expect(http.StatusOK, "POST", one+"/verify/confirm", `{"code":"`+code+`"}`)
	require.Equal(t, 1, c.requireClean())
}

// TestDataIsForgotten starts twice without a file.
func TestDataIsForgotten(t *testing.T) {
	t.Parallel()
	c, _ := newClient(t, start(t).api).newUser("ada@example.com")
	c = c.at(start(t).api)
	c.expect(http.StatusUnauthorized, "GET", "/v1/users/me", "")
	c.newUser("ada@example.com")
}

// TestDataIsKeptWithoutStop lets the time pass in which changes are written, and then reads the file beside the server.
func TestDataIsKeptWithoutStop(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "usercore.data")
	synctest.Test(t, func(t *testing.T) {
		d, err := openData(file)
		require.NoError(t, err)
		require.NoError(t, createTable(t.Context(), d.db.Client(), userstore.TableDefinition(tableName)))
		require.NoError(t, d.save())
		saved := d.changes()
		require.NoError(t, createTable(t.Context(), d.db.Client(), outboxDefinition()))
		require.NotEqual(t, saved, d.changes(), "a new table is a change")
		require.NoError(t, d.save())
		go func() { assert.NoError(t, d.keep(t.Context(), slog.New(slog.DiscardHandler))) }()

		before := stat(t, file)
		<-time.After(2 * saveInterval)
		assert.True(t, os.SameFile(before, stat(t, file)), "nothing was written, so the file was not")

		_, err = d.db.Client().PutItem(t.Context(), &dynamodb.PutItemInput{
			TableName: aws.String(tableName),
			Item: map[string]types.AttributeValue{
				"PK": &types.AttributeValueMemberS{Value: "a"}, "SK": &types.AttributeValueMemberS{Value: "b"},
			},
		})
		require.NoError(t, err)
		<-time.After(2 * saveInterval)
	})
	again, err := openData(file)
	require.NoError(t, err)
	page, err := again.db.Client().Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String(tableName)})
	require.NoError(t, err)
	assert.EqualValues(t, 1, page.Count)
}

func stat(t *testing.T, file string) os.FileInfo {
	t.Helper()
	info, err := os.Stat(file)
	require.NoError(t, err)
	return info
}

func TestDataFileIsPrivate(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "usercore.data")
	start(t, "-data", file)
	assert.Equal(t, os.FileMode(0o600), stat(t, file).Mode().Perm())
	left, err := filepath.Glob(file + ".*")
	require.NoError(t, err)
	assert.Empty(t, left, "temporary files")
}

// TestDamagedData starts on files that are not whole. They are refused, and stay as they are.
func TestDamagedData(t *testing.T) {
	t.Parallel()
	d, err := openData(filepath.Join(t.TempDir(), "usercore.data"))
	require.NoError(t, err)
	require.NoError(t, d.save())
	right, err := os.ReadFile(d.file)
	require.NoError(t, err)
	header, tables, _ := bytes.Cut(right, []byte("\n"))
	cases := map[string]string{
		"empty":         "",
		"other_format":  strings.Replace(string(right), dataFormat, "usercore-server/0", 1),
		"keys_only":     string(header) + "\n",
		"tables_only":   string(tables),
		"key_cut_off":   strings.Replace(string(right), `"signingKey":"`, `"signingKey":"AAAA`, 1),
		"secret_absent": strings.Replace(string(right), `"codeSecret":"`, `"codeSecret":"","x":"`, 1),
		"not_an_item":   string(right) + "{}\n",
	}
	for name, content := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "usercore.data")
			require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
			var stdout, stderr bytes.Buffer
			assert.Equal(t, exitFailed, run(t.Context(), []string{"-addr", "127.0.0.1:0", "-data", file}, noVariables, &stdout, &stderr))
			assert.Contains(t, stderr.String(), "-data")
			after, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.Equal(t, content, string(after))
		})
	}
}

// TestSaveFails saves where no file can be. The error names the flag, and nothing is left behind.
func TestSaveFails(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	d, err := openData("")
	require.NoError(t, err)
	d.file = filepath.Join(directory, "taken")
	require.NoError(t, os.Mkdir(d.file, 0o700))
	require.ErrorContains(t, d.save(), "-data: ")
	entries, err := os.ReadDir(directory)
	require.NoError(t, err)
	assert.Len(t, entries, 1)
}
