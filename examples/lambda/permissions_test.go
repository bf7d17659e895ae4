package lambda_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// TestPermissions holds what the template allows each function to what the function's page says it needs, and that to the pages of the packages.
func TestPermissions(t *testing.T) {
	t.Parallel()
	optional := map[string][]string{"cognitoevents": {"cognito-idp:AdminDeleteUser"}} // by a variable that the template does not set
	polling := []string{"sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"}
	stream := []string{"dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator", "dynamodb:ListStreams"}
	own := slices.Concat(polling, stream, []string{"sqs:SendMessage", "ses:SendEmail"}) // needed by a function itself, or by Lambda in its name
	packages := map[string][]string{
		"api":               {"userstore", "emails", "ratelimit"},
		"postconfirmation":  {"userstore", "cognitosync"},
		"signupdeadletters": {"userstore", "cognitosync"},
		"outboxpoller":      {"outbox", "outbox/eventbridgepub"},
		"outboxstream":      {"outbox", "outbox/eventbridgepub"},
		"cognitoevents":     {"userstore", "cognitosync"},
		"reconciler":        {"userstore", "cognitosync"},
		"purgesweeper":      {"userstore"},
	}
	resources := readResources(t)
	seen := map[string]bool{}
	for name, resource := range resources {
		if valueAt(resource, "Type").Value != "AWS::Serverless::Function" {
			continue
		}
		properties := valueAt(resource, "Properties")
		program := path.Base(valueAt(properties, "CodeUri").Value)
		seen[program] = true
		granted := sorted(actionsIn(valueAt(properties, "Policies"), resources))
		paged := actionsOnPage(t, program)
		assert.Equal(t, granted, slices.DeleteFunc(slices.Clone(paged), func(action string) bool {
			return slices.Contains(optional[program], action)
		}), "%s: granted, and on the page", name)

		listed := own
		for _, p := range packages[program] {
			listed = append(listed, actionsOnPage(t, filepath.Join("../..", p))...)
		}
		for _, action := range paged {
			assert.Contains(t, listed, action, "%s: no package's page has it", name)
		}
	}
	assert.Len(t, seen, len(packages), "functions of the template")
}

// readResources is the template's resources, with the tags of CloudFormation's functions.
func readResources(t *testing.T) map[string]*yaml.Node {
	t.Helper()
	text, err := os.ReadFile("../deploy/template.yaml")
	require.NoError(t, err)
	var parsed struct {
		Resources yaml.Node `yaml:"Resources"`
	}
	require.NoError(t, yaml.Unmarshal(text, &parsed))
	resources := map[string]*yaml.Node{}
	for pair := range slices.Chunk(parsed.Resources.Content, 2) {
		resources[pair[0].Value] = pair[1]
	}
	return resources
}

// valueAt is a value of a mapping; an empty node if there is none.
func valueAt(mapping *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i+1]
		}
	}
	return &yaml.Node{}
}

// actionsIn is every action below a node, also under conditions and in managed policies that it refers to.
func actionsIn(node *yaml.Node, resources map[string]*yaml.Node) []string {
	var actions []string
	if policy := resources[node.Value]; node.Tag == "!Ref" && policy != nil && valueAt(policy, "Type").Value == "AWS::IAM::ManagedPolicy" {
		return actionsIn(policy, resources)
	}
	if node.Kind == yaml.MappingNode {
		action := valueAt(node, "Action")
		for _, n := range append([]*yaml.Node{action}, action.Content...) {
			if n.Value != "" {
				actions = append(actions, n.Value)
			}
		}
	}
	for _, child := range node.Content {
		actions = append(actions, actionsIn(child, resources)...)
	}
	return actions
}

var (
	permissionsText = regexp.MustCompile(`(?s)Permissions(?::|\n//\n)(.*?)(?:\n//\n|\npackage)`)
	actionName      = regexp.MustCompile(`\b(?:([a-z-]+):)?([A-Z][A-Za-z]*[a-z][A-Za-z]*)\b`)
)

// actionsOnPage is what the page of a package says under Permissions: the service of an action is that of the one before, if it has none.
func actionsOnPage(t *testing.T, directory string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(directory, "*.go"))
	require.NoError(t, err)
	var actions []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		found := permissionsText.FindStringSubmatch(string(text))
		if found == nil {
			continue
		}
		service := ""
		for _, match := range actionName.FindAllStringSubmatch(strings.ReplaceAll(found[1], "\n// ", " "), -1) {
			if match[1] != "" {
				service = match[1]
			}
			if service != "" {
				actions = append(actions, service+":"+match[2])
			}
		}
	}
	require.NotEmpty(t, actions, "%s: the page lists no permissions", directory)
	return sorted(actions)
}

func sorted(actions []string) []string {
	slices.Sort(actions)
	return slices.Compact(actions)
}
