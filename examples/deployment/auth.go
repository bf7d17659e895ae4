package deployment

import (
	"encoding/base64"
	"strings"

	"github.com/usercore-go/usercore/emails"
	"github.com/usercore-go/usercore/httpapi"
	"github.com/usercore-go/usercore/httpapi/cognitojwt"
)

// authenticator is how requests say who they speak for.
func (d *Deployment) authenticator() (httpapi.Authenticator, error) {
	clients := d.List("USERCORE_CLIENT_ID")
	if len(clients) == 0 {
		d.Refuse("USERCORE_CLIENT_ID", "is not set")
	}
	switch mode := d.Text("USERCORE_AUTH", "token"); mode {
	case "token":
		return d.verifier(clients)
	case "gateway":
		return httpapi.GatewayClaims{ClientIDs: clients}, nil
	default:
		d.Refuse("USERCORE_AUTH", "%q is neither token nor gateway", mode)
		return nil, d.Err()
	}
}

func (d *Deployment) verifier(clients []string) (httpapi.Authenticator, error) {
	pool := cognitojwt.Pool{
		UserPoolID: d.Text("USERCORE_USER_POOL_ID", ""), Issuer: d.Text("USERCORE_ISSUER", ""),
		JWKSURL: d.Text("USERCORE_JWKS_URL", ""), ClientIDs: clients,
	}
	switch {
	case pool.UserPoolID == "" && pool.Issuer == "":
		d.Refuse("USERCORE_USER_POOL_ID", "is not set, nor is USERCORE_ISSUER")
	case pool.UserPoolID != "" && pool.Issuer != "":
		d.Refuse("USERCORE_USER_POOL_ID", "contradicts USERCORE_ISSUER")
	}
	if err := d.Err(); err != nil {
		return nil, err
	}
	return cognitojwt.New([]cognitojwt.Pool{pool}, cognitojwt.Config{Logger: d.Logger})
}

// onlySecret is the id of a secret that is given without one.
const onlySecret = "1"

// codeSecrets are the keys of verification codes. No part of them is shown when they are wrong.
func (d *Deployment) codeSecrets() []emails.Secret {
	const name = "USERCORE_CODE_SECRET"
	if d.Required(name) == "" {
		return nil
	}
	var secrets []emails.Secret
	for i, entry := range d.List(name) {
		id, text, hasID := strings.Cut(entry, ":")
		if !hasID {
			id, text = onlySecret, entry
		}
		key, err := base64.StdEncoding.DecodeString(text)
		if id == "" || len(key) == 0 || err != nil {
			d.Refuse(name, "entry %d is not a key in base64, nor id:key", i+1)
			continue
		}
		secrets = append(secrets, emails.Secret{ID: id, Key: key})
	}
	return secrets
}

func (d *Deployment) statusCheck() httpapi.StatusCheck {
	const name = "USERCORE_STATUS_CHECK"
	switch mode := d.Text(name, "writes"); mode {
	case "writes":
		return httpapi.Writes
	case "every-request":
		return httpapi.EveryRequest
	default:
		d.Refuse(name, "%q is neither writes nor every-request", mode)
		return httpapi.Writes
	}
}
