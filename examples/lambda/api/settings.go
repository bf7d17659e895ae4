package main

import (
	"encoding/base64"
	"strings"

	"github.com/usercore-go/usercore/emails"
	"github.com/usercore-go/usercore/examples/lambda/function"
	"github.com/usercore-go/usercore/httpapi"
	"github.com/usercore-go/usercore/httpapi/cognitojwt"
)

// authenticator is how requests say who they speak for, by USERCORE_AUTH.
func authenticator(d *function.Deployment) (httpapi.Authenticator, error) {
	clients := d.List("USERCORE_CLIENT_IDS")
	if len(clients) == 0 {
		d.Refuse("USERCORE_CLIENT_IDS", "is not set")
	}
	switch mode := d.Text("USERCORE_AUTH", "token"); mode {
	case "token":
		return verifier(d, clients)
	case "gateway":
		return httpapi.GatewayClaims{ClientIDs: clients}, nil
	default:
		d.Refuse("USERCORE_AUTH", "%q is neither token nor gateway", mode)
		return nil, d.Err()
	}
}

func verifier(d *function.Deployment, clients []string) (httpapi.Authenticator, error) {
	pool := cognitojwt.Pool{
		UserPoolID: d.Text("USERCORE_USER_POOL", ""), Issuer: d.Text("USERCORE_ISSUER", ""),
		JWKSURL: d.Text("USERCORE_JWKS_URL", ""), ClientIDs: clients,
	}
	switch {
	case pool.UserPoolID == "" && pool.Issuer == "":
		d.Refuse("USERCORE_USER_POOL", "is not set, nor is USERCORE_ISSUER")
	case pool.UserPoolID != "" && pool.Issuer != "":
		d.Refuse("USERCORE_USER_POOL", "contradicts USERCORE_ISSUER")
	}
	if err := d.Err(); err != nil {
		return nil, err
	}
	return cognitojwt.New([]cognitojwt.Pool{pool}, cognitojwt.Config{Logger: d.Logger})
}

// codeSecrets are the keys of verification codes. No part of them is shown when they are wrong.
func codeSecrets(d *function.Deployment) []emails.Secret {
	const name = "USERCORE_CODE_SECRETS"
	var secrets []emails.Secret
	for i, entry := range d.List(name) {
		id, text, _ := strings.Cut(entry, ":")
		key, err := base64.StdEncoding.DecodeString(text)
		if id == "" || len(key) == 0 || err != nil {
			d.Refuse(name, "entry %d is not id:key with the key in base64", i+1)
			continue
		}
		secrets = append(secrets, emails.Secret{ID: id, Key: key})
	}
	if len(secrets) == 0 && d.Text(name, "") == "" {
		d.Refuse(name, "is not set")
	}
	return secrets
}

func statusCheckOf(d *function.Deployment) httpapi.StatusCheck {
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
