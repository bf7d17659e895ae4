package lambda_test

import (
	"encoding/base64"
	"maps"
	"os"
	"os/exec"
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

// template is what the tests read of examples/deploy/template.yaml. Functions of CloudFormation are tags, which stay with their nodes.
type template struct {
	Globals struct {
		Function struct {
			Environment environment `yaml:"Environment"`
		} `yaml:"Function"`
	} `yaml:"Globals"`
	Resources map[string]struct {
		Type       string `yaml:"Type"`
		Properties struct {
			CodeURI     string      `yaml:"CodeUri"`
			Environment environment `yaml:"Environment"`
		} `yaml:"Properties"`
	} `yaml:"Resources"`
}

type environment struct {
	Variables map[string]yaml.Node `yaml:"Variables"`
}

func readTemplate(t *testing.T) template {
	t.Helper()
	text, err := os.ReadFile("../deploy/template.yaml")
	require.NoError(t, err)
	var parsed template
	require.NoError(t, yaml.Unmarshal(text, &parsed))
	return parsed
}

// templateValues stand for what CloudFormation would put in.
func templateValues() map[string]string {
	return map[string]string{
		"USERCORE_TABLE": "users", "USERCORE_OUTBOX_TABLE": "outbox", "USERCORE_OUTBOX_MIN_AGE": "5m", "USERCORE_ENVIRONMENT": "test",
		"USERCORE_EVENT_BUS": "users", "USERCORE_USER_POOL_ID": "us-east-1_AbCdEf123", "USERCORE_CLIENT_ID": "web", "USERCORE_REPAIR": "",
		"USERCORE_MAIL_FROM": "accounts@example.com", "USERCORE_SIGNUP_QUEUE_URL": "https://sqs.us-east-1.amazonaws.com/1/signups",
		"USERCORE_STATUS_CHECK": "every-request", "USERCORE_CORS_ORIGINS": "",
		"USERCORE_CONTINUE_QUEUE_URL": "https://sqs.us-east-1.amazonaws.com/1/reconciler", "USERCORE_CODE_SECRET": "1:" + base64.StdEncoding.EncodeToString(make([]byte, 33)),
	}
}

// testTemplate starts every function with the variables that the template gives it, and no others.
func testTemplate(t *testing.T, programs string) {
	parsed, values := readTemplate(t), templateValues()
	var found []string
	for name, resource := range parsed.Resources {
		if resource.Type != "AWS::Serverless::Function" {
			continue
		}
		program := path.Base(resource.Properties.CodeURI)
		found = append(found, program)
		env := map[string]string{}
		for _, variables := range []map[string]yaml.Node{parsed.Globals.Function.Environment.Variables, resource.Properties.Environment.Variables} {
			for variable := range variables {
				value, known := values[variable]
				assert.True(t, known, "%s: %s has no value in this test", name, variable)
				env[variable] = value
			}
		}
		function := exec.CommandContext(t.Context(), filepath.Join(programs, program))
		function.Env = environ(env)
		output, err := function.CombinedOutput()
		assert.Error(t, err, "outside of Lambda it ends")
		assert.NotContains(t, string(output), "cannot start", name)
		assert.Contains(t, string(output), "AWS_LAMBDA_RUNTIME_API", name)
	}
	assert.ElementsMatch(t, slices.Collect(maps.Keys(functions())), found)
}

// TestAlarmsAreListed holds the README's table of failures to the template, in both directions.
func TestAlarmsAreListed(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../deploy/README.md")
	require.NoError(t, err)
	_, table, hasTable := strings.Cut(string(text), "\n## Alarms\n")
	require.True(t, hasTable)
	listed := map[string]bool{}
	for _, match := range regexp.MustCompile("`([A-Z][A-Za-z]+)`").FindAllStringSubmatch(table, -1) {
		listed[match[1]] = true
	}
	for name, resource := range readTemplate(t).Resources {
		if resource.Type == "AWS::CloudWatch::Alarm" {
			short := name[:len(name)-len("Alarm")]
			assert.True(t, listed[short], "%s is not in the README", short)
			delete(listed, short)
		}
	}
	delete(listed, "AlarmTopicArn")
	assert.Empty(t, listed, "in the README, not in the template")
}
