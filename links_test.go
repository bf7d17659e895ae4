package usercore_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	markdownLink    = regexp.MustCompile(`\]\(([^)]+)\)`)
	markdownHeading = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	notInAnchor     = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestDocumentationLinks follows every link from one page of the repository to another, and to a heading in it.
func TestDocumentationLinks(t *testing.T) {
	t.Parallel()
	followed := 0
	require.NoError(t, filepath.WalkDir(".", func(page string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(page) != ".md" {
			return err
		}
		for _, link := range markdownLink.FindAllStringSubmatch(read(t, page), -1) {
			target, heading, _ := strings.Cut(link[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			followed++
			file := filepath.Join(filepath.Dir(page), target)
			if target == "" {
				file = page
			}
			_, err := os.Stat(file)
			require.NoErrorf(t, err, "%s: %s", page, link[1])
			if heading != "" {
				require.Containsf(t, anchors(read(t, file)), heading, "%s: %s", page, link[1])
			}
		}
		return nil
	}))
	require.Greater(t, followed, 10)
}

// anchors are the headings of a page as links name them: in lower case, without punctuation, with hyphens for blanks.
func anchors(page string) []string {
	var names []string
	for _, heading := range markdownHeading.FindAllStringSubmatch(page, -1) {
		names = append(names, strings.ReplaceAll(strings.ToLower(notInAnchor.ReplaceAllString(heading[1], "")), " ", "-"))
	}
	return names
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(text)
}
