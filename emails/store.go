package emails

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/usercore-go/usercore/internal/account"
	"github.com/usercore-go/usercore/ratelimit"
	"github.com/usercore-go/usercore/userstore"
)

// Client is the part of *dynamodb.Client that the package calls.
type Client interface {
	userstore.Client
	ratelimit.Client
}

// Config is the rules for addresses and codes.
type Config struct {
	// Store describes the table, with the same value that userstore.New got.
	Store userstore.Config
	// Limits is the table of the send limits; by default they stand in the table of Store.
	Limits ratelimit.Table
	// CodeLife is how long a code is valid: whole seconds, more than 5 minutes, default 15 minutes.
	CodeLife time.Duration
	// Attempts is how often one code may be tried: default 5.
	Attempts int
	// AttemptsPerHour and AttemptsPerDay are how often an account may try codes for one address in a UTC hour or day,
	// whatever codes were sent: default 15 and 30.
	AttemptsPerHour int
	AttemptsPerDay  int
	// SendsPerAddress and SendsPerAccount are how many codes are sent in any hour to one address, whoever asks, and for
	// one account: 1 to 64, default 3 and 20. Add counts as a send.
	SendsPerAddress int
	SendsPerAccount int
}

// Store keeps the addresses of accounts. It is safe for concurrent use and holds no state of its own.
type Store struct {
	kernel     *account.Kernel
	sender     Sender
	secrets    []Secret
	codes      codeRules
	perAddress *ratelimit.SlidingWindow
	perAccount *ratelimit.SlidingWindow
}

// codeRules are the rules that decisions on codes read.
type codeRules struct {
	life                                time.Duration
	attempts, attemptsHour, attemptsDay int64
	knows                               func(keyID string) bool
}

var secretID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

const (
	minSecret = 32 // bytes
	// resendMargin is how much life a code needs to be sent again; with less a fresh one is made.
	resendMargin = 5 * time.Minute
	sendWindow   = time.Hour
)

// New returns a Store. New codes are derived with the first secret, and codes of any of them are accepted: to rotate,
// put a new one in front and drop the old one after CodeLife. The keys are copied. New checks its arguments and does no I/O.
func New(client Client, sender Sender, secrets []Secret, cfg Config) (*Store, error) {
	if sender == nil {
		return nil, fmt.Errorf("emails: the sender is nil")
	}
	if err := checkSecrets(secrets); err != nil {
		return nil, fmt.Errorf("emails: %w", err)
	}
	if client == nil {
		return nil, fmt.Errorf("emails: the client is nil")
	}
	kernel, err := account.New(client, account.Config(cfg.Store), outcomes()...)
	if err != nil {
		return nil, fmt.Errorf("emails: Store: %w", err)
	}
	s := &Store{kernel: kernel, sender: sender, secrets: cloned(secrets)}
	if err := s.setRules(cfg); err != nil {
		return nil, fmt.Errorf("emails: %w", err)
	}
	if err := s.setLimits(client, cfg); err != nil {
		return nil, fmt.Errorf("emails: %w", err)
	}
	return s, nil
}

// cloned is a copy that stays when the caller wipes its keys.
func cloned(secrets []Secret) []Secret {
	own := slices.Clone(secrets)
	for i := range own {
		own[i].Key = bytes.Clone(own[i].Key)
	}
	return own
}

func checkSecrets(secrets []Secret) error {
	if len(secrets) == 0 {
		return fmt.Errorf("secrets is empty")
	}
	for i, s := range secrets {
		switch {
		case !secretID.MatchString(s.ID):
			return fmt.Errorf("secrets[%d].ID is not 1 to 64 characters of [A-Za-z0-9._-]", i)
		case len(s.Key) < minSecret:
			return fmt.Errorf("secrets[%d].Key has %d bytes, not at least %d", i, len(s.Key), minSecret)
		case slices.ContainsFunc(secrets[:i], func(o Secret) bool { return o.ID == s.ID }):
			return fmt.Errorf("secrets[%d].ID is there twice", i)
		}
	}
	return nil
}

func (s *Store) setRules(cfg Config) error {
	life := cfg.CodeLife
	if life == 0 {
		life = 15 * time.Minute
	}
	if life <= resendMargin || life%time.Second != 0 {
		return fmt.Errorf("Config.CodeLife is %v, not whole seconds above %v", cfg.CodeLife, resendMargin)
	}
	s.codes = codeRules{life: life, knows: func(keyID string) bool { _, ok := s.secret(keyID); return ok }}
	return firstError(
		count("Config.Attempts", cfg.Attempts, 5, &s.codes.attempts),
		count("Config.AttemptsPerHour", cfg.AttemptsPerHour, 15, &s.codes.attemptsHour),
		count("Config.AttemptsPerDay", cfg.AttemptsPerDay, 30, &s.codes.attemptsDay),
	)
}

// setLimits makes the two windows; the address's stands first in every transaction.
func (s *Store) setLimits(client Client, cfg Config) error {
	where := cfg.Limits
	if where.Name == "" {
		where.Name = cfg.Store.Table
	}
	var perAddress, perAccount int64
	err := firstError(
		count("Config.SendsPerAddress", cfg.SendsPerAddress, 3, &perAddress),
		count("Config.SendsPerAccount", cfg.SendsPerAccount, 20, &perAccount),
	)
	if err != nil {
		return err
	}
	window := func(name string, limit int64) (*ratelimit.SlidingWindow, error) {
		return ratelimit.NewSlidingWindow(client, ratelimit.SlidingConfig{
			Table: where, Limit: int(limit), Window: sendWindow, Now: s.kernel.Now,
			Telemetry: ratelimit.Telemetry{Name: name, MeterProvider: cfg.Store.MeterProvider},
		})
	}
	if s.perAddress, err = window("sends_per_address", perAddress); err != nil {
		return fmt.Errorf("setting Config.SendsPerAddress and Config.Limits: %w", err)
	}
	if s.perAccount, err = window("sends_per_account", perAccount); err != nil {
		return fmt.Errorf("setting Config.SendsPerAccount: %w", err)
	}
	return nil
}

func count(name string, value, byDefault int, at *int64) error {
	if value == 0 {
		value = byDefault
	}
	if value < 1 {
		return fmt.Errorf("%s is %d, not at least 1", name, value)
	}
	*at = int64(value)
	return nil
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
