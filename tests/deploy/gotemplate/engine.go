// Renders templates with Go's own engine and Sprig: a line of JSON in, a line of JSON out.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
)

type request struct {
	Template string
	Data     interface{}
}

type answer struct {
	Output string
	Error  string
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1<<24), 1<<24)
	for lines.Scan() {
		var asked request
		decoder := json.NewDecoder(strings.NewReader(lines.Text()))
		decoder.UseNumber()
		if err := decoder.Decode(&asked); err != nil {
			panic(err)
		}
		written, _ := json.Marshal(render(asked.Template, numbers(asked.Data)))
		fmt.Println(string(written))
	}
}

func render(text string, data interface{}) (given answer) {
	defer func() {
		if problem := recover(); problem != nil {
			given.Error = fmt.Sprint(problem)
		}
	}()
	parsed, err := template.New("t").Option("missingkey=error").Funcs(sprig.TxtFuncMap()).Parse(text)
	if err != nil {
		return answer{Error: err.Error()}
	}
	var output strings.Builder
	if err := parsed.Execute(&output, data); err != nil {
		return answer{Error: err.Error()}
	}
	return answer{Output: output.String()}
}

// numbers turns what was read into integers where it is one.
func numbers(value interface{}) interface{} {
	switch one := value.(type) {
	case json.Number:
		if whole, err := strconv.Atoi(one.String()); err == nil {
			return whole
		}
		fraction, _ := one.Float64()
		return fraction
	case []interface{}:
		for index := range one {
			one[index] = numbers(one[index])
		}
	case map[string]interface{}:
		for key := range one {
			one[key] = numbers(one[key])
		}
	}
	return value
}
