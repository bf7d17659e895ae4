package deployment

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
	"github.com/aws/smithy-go"

	"github.com/usercore-go/usercore/emails"
)

// mailer sends verification codes with SES. A code that is sent twice is the same code, so SES's retries do no harm.
type mailer struct {
	client *sesv2.Client
	from   string
	logger *slog.Logger
}

// Send mails one code. The error and the log have SES's code only: its message may show the address.
func (m *mailer) Send(ctx context.Context, message emails.Message) error {
	text := func(s string) *types.Content { return &types.Content{Data: &s, Charset: aws.String("UTF-8")} }
	body := fmt.Sprintf("Your code is %s. It is valid for %d minutes.\n\nIf you did not ask for it, ignore this mail.\n",
		message.Code, int(message.ExpiresIn/time.Minute))
	_, err := m.client.SendEmail(ctx, &sesv2.SendEmailInput{
		FromEmailAddress: &m.from,
		Destination:      &types.Destination{ToAddresses: []string{message.To}},
		Content: &types.EmailContent{Simple: &types.Message{
			Subject: text("Your verification code"), Body: &types.Body{Text: text(body)},
		}},
	})
	if err == nil {
		return nil
	}
	reason := "no answer"
	if refused, isAPI := errors.AsType[smithy.APIError](err); isAPI {
		reason = refused.ErrorCode()
	}
	m.logger.ErrorContext(ctx, "mail not sent", "userId", message.UserID, "emailId", message.EmailID, "reason", reason)
	return fmt.Errorf("SES: %s", reason)
}
