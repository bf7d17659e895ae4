package eventbridgepub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge/types"

	"github.com/usercore-go/usercore/outbox"
)

const (
	// maxEntries is the most that PutEvents takes in a call.
	maxEntries = 10
	// everyRegion is the size of a call that every region takes, mostRegions what most take now (API reference).
	everyRegion = 256 << 10
	mostRegions = 1 << 20
	maxSource   = 256
)

// ErrNoBus says that the event bus does not exist.
var ErrNoBus = errors.New("eventbridgepub: the event bus does not exist")

// busName is what PutEvents takes for a bus (API reference). A wrong one would make it refuse every call, as if the events were wrong.
var busName = regexp.MustCompile(`^(arn:aws[\w-]*:events:[a-z]+-[a-z]+-[\w-]+:[0-9]{12}:event-bus/)?[/.\-_A-Za-z0-9]{1,256}$`)

// Client is what the publisher calls of EventBridge; *eventbridge.Client implements it. Its methods are called concurrently.
type Client interface {
	PutEvents(context.Context, *eventbridge.PutEventsInput, ...func(*eventbridge.Options)) (*eventbridge.PutEventsOutput, error)
	DescribeEventBus(
		context.Context, *eventbridge.DescribeEventBusInput, ...func(*eventbridge.Options),
	) (*eventbridge.DescribeEventBusOutput, error)
}

// Config configures a Publisher.
type Config struct {
	// Bus is the name or ARN of the event bus; default "default".
	Bus string
	// Source names the service that the events come from, as in "user-service": 1–256 bytes, not beginning with "aws."; required.
	Source string
	// Envelope is the form of the detail, as the writer has it.
	Envelope outbox.Envelope
	// MaxEntryBytes is the largest entry that is sent and MaxCallBytes the most that is sent in one call, counted as EventBridge does. Both
	// from 1 KiB to 1 MiB, default 256 KiB. MaxEntryBytes must not be above MaxCallBytes, nor below the writer's MaxEventBytes.
	MaxEntryBytes, MaxCallBytes int
	// SkipCheck leaves out the check at start that the bus exists, for a bus that cannot be described, such as another account's.
	SkipCheck bool
}

// Publisher publishes to one bus. It is safe for concurrent use.
type Publisher struct {
	client Client
	cfg    Config
}

var (
	_ outbox.Publisher = (*Publisher)(nil)
	_ outbox.Checker   = (*Publisher)(nil)
)

// New returns a Publisher, or an error that names the field that is wrong. It does no I/O.
func New(client Client, cfg Config) (*Publisher, error) {
	cfg.Bus = cmp.Or(cfg.Bus, "default")
	cfg.MaxEntryBytes = cmp.Or(cfg.MaxEntryBytes, everyRegion)
	cfg.MaxCallBytes = cmp.Or(cfg.MaxCallBytes, max(everyRegion, cfg.MaxEntryBytes))
	switch {
	case client == nil:
		return nil, errors.New("eventbridgepub: the client is nil")
	case !busName.MatchString(cfg.Bus):
		return nil, errors.New("eventbridgepub: Bus is neither a name of letters, digits, /, ., - and _ nor an ARN")
	case cfg.Source == "" || len(cfg.Source) > maxSource || strings.HasPrefix(cfg.Source, "aws."):
		return nil, fmt.Errorf("eventbridgepub: Source is not 1–%d bytes that do not begin with aws", maxSource)
	case cfg.MaxCallBytes < 1<<10 || cfg.MaxCallBytes > mostRegions:
		return nil, fmt.Errorf("eventbridgepub: MaxCallBytes is %d, want %d to %d", cfg.MaxCallBytes, 1<<10, mostRegions)
	case cfg.MaxEntryBytes < 1<<10 || cfg.MaxEntryBytes > cfg.MaxCallBytes:
		return nil, fmt.Errorf("eventbridgepub: MaxEntryBytes is %d, want %d to MaxCallBytes", cfg.MaxEntryBytes, 1<<10)
	}
	if err := cfg.Envelope.Validate(); err != nil {
		return nil, fmt.Errorf("eventbridgepub: %w", err)
	}
	return &Publisher{client: client, cfg: cfg}, nil
}

// Check returns ErrNoBus if the bus does not exist, and another error if that cannot be found out. It costs one request.
func (p *Publisher) Check(ctx context.Context) error {
	if p.cfg.SkipCheck {
		return nil
	}
	_, err := p.client.DescribeEventBus(ctx, &eventbridge.DescribeEventBusInput{Name: aws.String(p.cfg.Bus)})
	if _, missing := errors.AsType[*types.ResourceNotFoundException](err); missing {
		return ErrNoBus
	}
	if err != nil {
		return fmt.Errorf("eventbridgepub: describe the event bus: %w", err)
	}
	return nil
}

// Publish sends the entries in as few calls as the limits allow, one after another. See the package page for results.
func (p *Publisher) Publish(ctx context.Context, entries []outbox.Entry) ([]outbox.Result, error) {
	return outbox.Batcher[types.PutEventsRequestEntry]{
		MaxEntries:    maxEntries,
		MaxBytes:      p.cfg.MaxCallBytes,
		MaxEntryBytes: p.cfg.MaxEntryBytes,
		Encode:        p.encode,
		Send:          p.send,
		Refused:       refused,
	}.Publish(ctx, entries)
}
