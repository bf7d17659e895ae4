package bench

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/emails"
	"github.com/usercore-go/usercore/internal/memdynamo"
	"github.com/usercore-go/usercore/internal/suite"
	"github.com/usercore-go/usercore/userstore"
)

// recorder notes the requests that pass through it.
type recorder struct {
	*dynamodb.Client
	sent []func(ctx context.Context, to *dynamodb.Client) error
}

func (r *recorder) GetItem(ctx context.Context, in *dynamodb.GetItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	r.sent = append(r.sent, func(ctx context.Context, to *dynamodb.Client) error { _, err := to.GetItem(ctx, in); return err })
	return r.Client.GetItem(ctx, in, opts...)
}

func (r *recorder) Query(ctx context.Context, in *dynamodb.QueryInput, opts ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	r.sent = append(r.sent, func(ctx context.Context, to *dynamodb.Client) error { _, err := to.Query(ctx, in); return err })
	return r.Client.Query(ctx, in, opts...)
}

func (r *recorder) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, opts ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	r.sent = append(r.sent, func(ctx context.Context, to *dynamodb.Client) error {
		_, err := to.TransactWriteItems(ctx, in)
		return err
	})
	return r.Client.TransactWriteItems(ctx, in, opts...)
}

// codes is a Sender that keeps the newest code by address.
type codes map[string]string

func (c codes) Send(_ context.Context, m emails.Message) error { c[m.To] = m.Code; return nil }

// scene is a table in which accounts stand ready for an operation.
type scene struct {
	client *recorder
	users  *userstore.Store
	emails *emails.Store
	mail   codes
	ids    map[string]string // email ids by address
}

const table = "users"

func newScene(b *testing.B, db *memdynamo.DB, cfg userstore.Config) *scene {
	b.Helper()
	s := &scene{client: &recorder{Client: db.Client()}, mail: codes{}, ids: map[string]string{}}
	var err error
	s.users, err = userstore.New(s.client, cfg)
	require.NoError(b, err)
	s.emails, err = emails.New(s.client, s.mail, suite.Secrets(), emails.Config{Store: cfg})
	require.NoError(b, err)
	return s
}

func (s *scene) create(ctx context.Context, i int) error {
	_, err := s.users.Create(ctx, userstore.NewUser{UserID: user(i), Email: first(i), EmailVerified: true, FirstName: "Dana", LastName: "Reyes"})
	return err
}

func (s *scene) add(ctx context.Context, i int) error {
	added, err := s.emails.Add(ctx, user(i), second(i))
	s.ids[second(i)] = added.EmailID
	return err
}

func (s *scene) confirm(ctx context.Context, i int) error {
	_, err := s.emails.Confirm(ctx, user(i), s.ids[second(i)], s.mail[second(i)])
	return err
}

func user(i int) string   { return fmt.Sprintf("user-%07d", i) }
func first(i int) string  { return fmt.Sprintf("dana.%d@example.com", i) }
func second(i int) string { return fmt.Sprintf("dana.%d@work.example", i) }

type step = func(s *scene, ctx context.Context, i int) error

// operations are what is measured, with the steps that make an account ready for it.
var operations = []struct {
	name  string
	ready []step
	run   step
}{
	{"Create", nil, (*scene).create},
	{"Get", []step{(*scene).create}, func(s *scene, ctx context.Context, i int) error { _, err := s.users.Get(ctx, user(i)); return err }},
	{"GetByEmail", []step{(*scene).create}, func(s *scene, ctx context.Context, i int) error {
		_, err := s.users.GetByEmail(ctx, first(i))
		return err
	}},
	{"Update", []step{(*scene).create}, func(s *scene, ctx context.Context, i int) error {
		_, err := s.users.Update(ctx, user(i), userstore.Changes{FirstName: new("Ann"), ExpectedVersion: 1})
		return err
	}},
	{"Suspend", []step{(*scene).create}, func(s *scene, ctx context.Context, i int) error {
		_, err := s.users.Suspend(ctx, user(i), "fraud")
		return err
	}},
	{"Delete", []step{(*scene).create}, func(s *scene, ctx context.Context, i int) error { _, err := s.users.Delete(ctx, user(i)); return err }},
	{"Profile", []step{(*scene).create, (*scene).add}, func(s *scene, ctx context.Context, i int) error {
		_, _, err := s.emails.Profile(ctx, user(i))
		return err
	}},
	{"Add", []step{(*scene).create}, (*scene).add},
	{"SendCode", []step{(*scene).create, (*scene).add}, func(s *scene, ctx context.Context, i int) error {
		_, err := s.emails.SendCode(ctx, user(i), s.ids[second(i)])
		return err
	}},
	{"Confirm", []step{(*scene).create, (*scene).add}, (*scene).confirm},
	{"SetPrimary", []step{(*scene).create, (*scene).add, (*scene).confirm}, func(s *scene, ctx context.Context, i int) error {
		_, err := s.emails.SetPrimary(ctx, user(i), s.ids[second(i)])
		return err
	}},
	{"Remove", []step{(*scene).create, (*scene).add}, func(s *scene, ctx context.Context, i int) error {
		return s.emails.Remove(ctx, user(i), s.ids[second(i)])
	}},
}

// readyScene is a scene of b.N accounts, on an engine of its own, that are ready for an operation.
func readyScene(b *testing.B, ready []step, cfg userstore.Config) (*scene, *memdynamo.DB) {
	b.Helper()
	db := memdynamo.New(memdynamo.Options{})
	_, err := db.Client().CreateTable(b.Context(), userstore.TableDefinition(table))
	require.NoError(b, err)
	s := newScene(b, db, cfg)
	for i := range b.N {
		for _, step := range ready {
			require.NoError(b, step(s, b.Context(), i))
		}
	}
	return s, db
}

func BenchmarkOperations(b *testing.B) {
	for _, op := range operations {
		prepare := func(b *testing.B) (*scene, *memdynamo.DB) {
			b.Helper()
			return readyScene(b, op.ready, userstore.Config{Table: table})
		}
		b.Run(op.name+"/library", func(b *testing.B) {
			s, _ := prepare(b)
			s.client.sent = nil
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				if err := op.run(s, b.Context(), i); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(s.client.sent))/float64(b.N), "requests/op")
		})
		b.Run(op.name+"/beside_sdk", func(b *testing.B) {
			s, db := prepare(b)
			bare := copyOf(b, db).Client()
			library, sdk := make([]time.Duration, b.N), make([]time.Duration, b.N)
			b.ResetTimer()
			for i := range b.N {
				s.client.sent = s.client.sent[:0]
				start := time.Now()
				if err := op.run(s, b.Context(), i); err != nil {
					b.Fatal(err)
				}
				middle := time.Now()
				for _, send := range s.client.sent {
					if err := send(b.Context(), bare); err != nil {
						b.Fatal(err)
					}
				}
				library[i], sdk[i] = middle.Sub(start), time.Since(middle)
			}
			b.ReportMetric(float64(median(library)), "ns/op")
			b.ReportMetric(float64(median(sdk)), "sdk-ns/op")
			b.ReportMetric(float64(median(library))/float64(median(sdk)), "ratio")
		})
	}
}

// copyOf is another engine in the same state.
func copyOf(b *testing.B, db *memdynamo.DB) *memdynamo.DB {
	b.Helper()
	var state bytes.Buffer
	require.NoError(b, db.Snapshot(&state))
	twin := memdynamo.New(memdynamo.Options{})
	require.NoError(b, twin.Restore(&state))
	return twin
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}
