package httpapi_test

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/userstore"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// scenario leads to one answer.
type scenario func(f *fixture) reply

// scenarios are one for each text and shape that a client can get. Account "john" has john@example.com, verified and primary.
var scenarios = map[string]scenario{
	"user": func(f *fixture) reply {
		f.clock.advance(1500 * time.Millisecond)
		f.call("john", "PUT", "/v1/users/me", `{"phone":"+1234567890"}`)
		return f.call("john", "GET", "/v1/users/me", "")
	},
	"user_without_verified_address": func(f *fixture) reply {
		_, err := f.store.Create(f.t.Context(), userstore.NewUser{UserID: "jane", Email: "jane@example.com"})
		require.NoError(f.t, err)
		return f.call("jane", "GET", "/v1/users/me", "")
	},
	"user_suspended": func(f *fixture) reply {
		f.suspend("john")
		return f.call("john", "GET", "/v1/users/me", "")
	},
	"user_unauthenticated": func(f *fixture) reply { return f.call("", "GET", "/v1/users/me", "") },
	"user_bad_token":       func(f *fixture) reply { return f.call("john@x", "GET", "/v1/users/me", "") },
	"user_unknown":         func(f *fixture) reply { return f.call("nobody", "GET", "/v1/users/me", "") },
	"user_id_no_account_can_have": func(f *fixture) reply {
		return f.call("no body", "PUT", "/v1/users/me", `{}`)
	},
	"user_deleted": func(f *fixture) reply {
		f.call("john", "DELETE", "/v1/users/me", "")
		return f.call("john", "GET", "/v1/users/me", "")
	},
	"update": func(f *fixture) reply {
		f.clock.advance(time.Hour)
		return f.call("john", "PUT", "/v1/users/me", `{"firstName":"Jonathan","phone":"+1987654321"}`, "If-Match", `"1"`)
	},
	"update_names": func(f *fixture) reply {
		return f.call("john", "PUT", "/v1/users/me", `{"firstName":" Jürgen","lastName":"O’Neill"}`)
	},
	"update_refused_values": func(f *fixture) reply {
		return f.call("john", "PUT", "/v1/users/me", `{"firstName":"A","lastName":"","phone":"12"}`)
	},
	"update_refused_fields": func(f *fixture) reply {
		body := `{"firstName":7,"lastName":null,"phone":"+1\u0000","status":"active","version":{"a":[1]},"FirstName":"A"}`
		return f.call("john", "PUT", "/v1/users/me", body)
	},
	"update_twice_the_same_field": func(f *fixture) reply {
		return f.call("john", "PUT", "/v1/users/me", `{"firstName":"A","lastName":"B","firstName":"C"}`)
	},
	"update_not_json":   func(f *fixture) reply { return f.call("john", "PUT", "/v1/users/me", `{"firstName":"A",}`) },
	"update_not_object": func(f *fixture) reply { return f.call("john", "PUT", "/v1/users/me", `null`) },
	"update_empty": func(f *fixture) reply {
		return f.call("john", "PUT", "/v1/users/me", "", "Content-Type", "application/json")
	},
	"update_not_utf8":     func(f *fixture) reply { return f.call("john", "PUT", "/v1/users/me", "{\"firstName\":\"\xff\"}") },
	"update_bad_if_match": func(f *fixture) reply { return f.call("john", "PUT", "/v1/users/me", `{}`, "If-Match", "1") },
	"update_stale": func(f *fixture) reply {
		f.call("john", "PUT", "/v1/users/me", `{"firstName":"A"}`)
		return f.call("john", "PUT", "/v1/users/me", `{"firstName":"B"}`, "If-Match", `"1"`)
	},
	"update_suspended": func(f *fixture) reply {
		f.suspend("john")
		return f.call("john", "PUT", "/v1/users/me", `{"firstName":"A"}`)
	},
	"update_too_large": func(f *fixture) reply {
		return f.call("john", "PUT", "/v1/users/me", `{"firstName":"`+strings.Repeat("a", 1<<16)+`"}`)
	},
	"update_media_type": func(f *fixture) reply {
		return f.call("john", "PUT", "/v1/users/me", `{}`, "Content-Type", "", "Content-Type", "text/plain")
	},
	"delete": func(f *fixture) reply { return f.call("john", "DELETE", "/v1/users/me", "") },
	"delete_again": func(f *fixture) reply {
		f.call("john", "DELETE", "/v1/users/me", "")
		f.clock.advance(time.Hour)
		return f.call("john", "DELETE", "/v1/users/me", "")
	},

	"emails": func(f *fixture) reply {
		f.clock.advance(time.Minute)
		f.confirmed("john", "john.work@company.com")
		f.clock.advance(time.Minute)
		f.add("john", "john.personal@gmail.com")
		return f.call("john", "GET", "/v1/users/me/emails", "")
	},
	"email": func(f *fixture) reply {
		return f.call("john", "GET", emailPath(f.add("john", "john.personal@gmail.com")), "")
	},
	"email_unknown": func(f *fixture) reply { return f.call("john", "GET", emailPath("email-404"), "") },
	"add": func(f *fixture) reply {
		return f.call("john", "POST", "/v1/users/me/emails", `{"email":" John.Personal@Gmail.com"}`)
	},
	"add_unescaped": func(f *fixture) reply {
		return f.call("john", "POST", "/v1/users/me/emails", `{"email":"r&d@example.com"}`)
	},
	"add_mail_failed": func(f *fixture) reply {
		f.mail.broken = true
		return f.call("john", "POST", "/v1/users/me/emails", `{"email":"john.personal@gmail.com"}`)
	},
	"add_invalid": func(f *fixture) reply {
		return f.call("john", "POST", "/v1/users/me/emails", `{"email":"not-an-address"}`)
	},
	"add_no_address": func(f *fixture) reply { return f.call("john", "POST", "/v1/users/me/emails", `{}`) },
	"add_taken": func(f *fixture) reply {
		return f.call("john", "POST", "/v1/users/me/emails", `{"email":"JOHN@example.com"}`)
	},
	"add_too_many":   addTooMany,
	"add_limited":    addLimited,
	"remove":         func(f *fixture) reply { return f.call("john", "DELETE", emailPath(f.add("john", "a@example.com")), "") },
	"remove_unknown": func(f *fixture) reply { return f.call("john", "DELETE", emailPath("email-404"), "") },
	"remove_last":    func(f *fixture) reply { return f.call("john", "DELETE", emailPath(f.primary("john")), "") },
	"remove_primary": removePrimary,
	"verify": func(f *fixture) reply {
		return f.call("john", "POST", emailPath(f.add("john", "a@example.com"))+"/verify", "")
	},
	"verify_verified": func(f *fixture) reply { return f.call("john", "POST", emailPath(f.primary("john"))+"/verify", "") },
	"verify_later":    verifyLater,
	"verify_limited":  verifyLimited,
	"verify_mail_failed": func(f *fixture) reply {
		id := f.add("john", "a@example.com")
		f.mail.broken = true
		return f.call("john", "POST", emailPath(id)+"/verify", "")
	},
	"confirm": func(f *fixture) reply {
		id := f.add("john", "a@example.com")
		return f.confirm(id, f.mail.code("a@example.com"))
	},
	"confirm_first": func(f *fixture) reply {
		_, err := f.store.Create(f.t.Context(), userstore.NewUser{UserID: "jane", Email: "jane@example.com"})
		require.NoError(f.t, err)
		var list struct{ Emails []struct{ EmailID string } }
		f.call("jane", "GET", "/v1/users/me/emails", "").decode(&list)
		path := emailPath(list.Emails[0].EmailID) + "/verify"
		f.call("jane", "POST", path, "")
		return f.call("jane", "POST", path+"/confirm", `{"code":"`+f.mail.code("jane@example.com")+`"}`)
	},
	"confirm_wrong": func(f *fixture) reply {
		id := f.add("john", "a@example.com")
		return f.confirm(id, f.mail.wrong("a@example.com"))
	},
	"confirm_expired": func(f *fixture) reply {
		id := f.add("john", "a@example.com")
		f.clock.advance(15 * time.Minute)
		return f.confirm(id, f.mail.code("a@example.com"))
	},
	"confirm_malformed": func(f *fixture) reply { return f.confirm(f.add("john", "a@example.com"), "12345") },
	"confirm_number": func(f *fixture) reply {
		return f.call("john", "POST", emailPath(f.add("john", "a@example.com"))+"/verify/confirm", `{"code":123456}`)
	},
	"confirm_too_often": confirmTooOften,
	"primary": func(f *fixture) reply {
		return f.call("john", "PUT", emailPath(f.confirmed("john", "a@example.com"))+"/primary", "")
	},
	"primary_unverified": func(f *fixture) reply {
		return f.call("john", "PUT", emailPath(f.add("john", "a@example.com"))+"/primary", "")
	},
	"primary_unknown": func(f *fixture) reply { return f.call("john", "PUT", emailPath("email-404")+"/primary", "") },

	"no_route":  func(f *fixture) reply { return f.call("john", "GET", "/v1/users/you", "") },
	"no_method": func(f *fixture) reply { return f.call("john", "PATCH", "/v1/users/me", `{}`) },
	"options":   func(f *fixture) reply { return f.call("", "OPTIONS", "/v1/users/me", "") },
	"head":      func(f *fixture) reply { return f.call("john", "HEAD", "/v1/users/me", "") },
}

func (f *fixture) suspend(user string) {
	f.t.Helper()
	_, err := f.store.Suspend(f.t.Context(), user, "")
	require.NoError(f.t, err)
}

func (f *fixture) confirm(id, code string) reply {
	f.t.Helper()
	return f.call("john", "POST", emailPath(id)+"/verify/confirm", `{"code":"`+code+`"}`)
}

func addTooMany(f *fixture) reply {
	for i := range 4 {
		f.add("john", fmt.Sprintf("john%d@example.com", i))
	}
	return f.call("john", "POST", "/v1/users/me/emails", `{"email":"john5@example.com"}`)
}

func addLimited(f *fixture) reply {
	for range 3 {
		id := f.add("john", "a@example.com")
		f.clock.advance(5 * time.Minute)
		f.call("john", "DELETE", emailPath(id), "")
	}
	return f.call("john", "POST", "/v1/users/me/emails", `{"email":"a@example.com"}`)
}

func removePrimary(f *fixture) reply {
	f.add("john", "a@example.com")
	return f.call("john", "DELETE", emailPath(f.primary("john")), "")
}

func verifyLater(f *fixture) reply {
	id := f.add("john", "a@example.com")
	f.clock.advance(4*time.Minute + 400*time.Millisecond)
	return f.call("john", "POST", emailPath(id)+"/verify", "")
}

func verifyLimited(f *fixture) reply {
	id := f.add("john", "a@example.com")
	f.call("john", "POST", emailPath(id)+"/verify", "")
	f.call("john", "POST", emailPath(id)+"/verify", "")
	f.clock.advance(15*time.Minute + 30*time.Second)
	return f.call("john", "POST", emailPath(id)+"/verify", "")
}

func confirmTooOften(f *fixture) reply {
	id := f.add("john", "a@example.com")
	for range 5 {
		f.confirm(id, f.mail.wrong("a@example.com"))
	}
	f.clock.advance(14*time.Minute + 1*time.Second)
	return f.confirm(id, f.mail.code("a@example.com"))
}

// TestAnswers compares each answer, to the byte, with testdata/golden. -update rewrites the files.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, lead := range scenarios {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.user("john", "john@example.com")
			got := lead(f).golden()
			path := filepath.Join("testdata", "golden", name+".http")
			if *update {
				require.NoError(t, os.WriteFile(path, got, 0o644))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, string(want), string(got))
		})
	}
}

// TestGoldenFilesAreUsed fails for a file that no scenario has.
func TestGoldenFilesAreUsed(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "golden", "*"))
	require.NoError(t, err)
	for _, file := range files {
		require.Contains(t, scenarios, strings.TrimSuffix(filepath.Base(file), ".http"))
	}
}

var uuids = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// golden is the answer as text, with the random ids numbered.
func (a reply) golden() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%d %s\n", a.status, http.StatusText(a.status))
	for _, name := range slices.Sorted(maps.Keys(a.header)) {
		fmt.Fprintf(&b, "%s: %s\n", name, strings.Join(a.header[name], " | "))
	}
	fmt.Fprintf(&b, "\n%s\n", a.body)
	var seen []string
	return uuids.ReplaceAllFunc(b.Bytes(), func(id []byte) []byte {
		i := slices.Index(seen, string(id))
		if i < 0 {
			i = len(seen)
			seen = append(seen, string(id))
		}
		return fmt.Appendf(nil, "email-%03d", i+1)
	})
}
