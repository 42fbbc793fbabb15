//! The provider's configuration. Its shape has been checked against the manifest's schema; what a schema can't express
//! is checked here, and everything once more for hosts that don't check.

use std::path::{Path, PathBuf};

use loopctl_program::{Program, locate};
use serde_json::Value;

use crate::Command;
use crate::answer::AnswerKind;

const DEFAULT_OUTPUT: u64 = 8 << 20;
/// The most bytes that cross the plugin boundary.
const MOST_OUTPUT: u64 = 16 << 20;

/// Variables that a program sees unasked: where programs and files are, and how to write text.
const KEPT: [&str; 8] = ["PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT"];

const EXAMPLE: &str = "`command: [python3, extract.py]`";

/// Reads the configuration and finds the program.
pub(crate) fn read(config: &Value) -> Result<Command, String> {
    let (name, arguments) = command_line(config)?;
    let cwd = optional(config, "cwd", "a folder", Value::as_str)?.map(PathBuf::from);
    if let Some(cwd) = cwd.as_deref().filter(|cwd| !cwd.is_dir()) {
        return Err(format!("`cwd`: there is no folder `{}`", cwd.display()));
    }
    let answer = match optional(config, "answer", "a word", Value::as_str)? {
        None => AnswerKind::Completion,
        Some(word) => AnswerKind::from_word(word)
            .ok_or_else(|| format!("`answer` is `completion`, `value` or `text`, found `{word}`"))?,
    };
    let asked = optional(config, "env", "a list of names", texts)?.unwrap_or_default();
    if let Some(bad) = asked.iter().find(|name| name.is_empty() || name.contains(['=', '\0'])) {
        return Err(format!(
            "`env` lists names of variables, not values; `{}` can't be one",
            before_equals(bad)
        ));
    }
    let max_output =
        optional(config, "max_output_bytes", "a number of bytes", Value::as_u64)?.unwrap_or(DEFAULT_OUTPUT);
    if !(1..=MOST_OUTPUT).contains(&max_output) {
        return Err(format!("`max_output_bytes` is 1 to {MOST_OUTPUT}, found {max_output}"));
    }
    let environment = KEPT
        .into_iter()
        .map(str::to_owned)
        .chain(asked)
        .filter_map(|name| std::env::var_os(&name).map(|value| (name.into(), value)))
        .collect();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let file = locate(&name, cwd.as_deref().unwrap_or(Path::new("")), &path)?;
    Ok(Command {
        program: Program {
            name,
            file,
            arguments,
            environment,
            cwd,
            max_output,
            show_stderr: optional(config, "show_stderr", "true or false", Value::as_bool)?.unwrap_or(true),
        },
        answer,
    })
}

fn command_line(config: &Value) -> Result<(String, Vec<String>), String> {
    let args = optional(config, "args", "a list of texts", texts)?;
    let (command, program) = (config.get("command"), config.get("program"));
    let (name, arguments) = match (command, program, args) {
        (Some(_), Some(_), _) => return Err("both `command` and `program`: give one of them".to_owned()),
        (Some(_), None, Some(_)) => {
            return Err("`args` go with `program`; with `command` they follow the program".to_owned());
        }
        (Some(Value::String(program)), None, None) => (program.clone(), Vec::new()),
        (Some(command), None, None) => {
            let mut words = texts(command)
                .ok_or_else(|| format!("`command` is a list of texts, as in {EXAMPLE}"))?
                .into_iter();
            (words.next().unwrap_or_default(), words.collect())
        }
        (None, Some(program), args) => {
            let program = program.as_str().ok_or("`program` is a name or a path")?;
            (program.to_owned(), args.unwrap_or_default())
        }
        (None, None, _) => {
            return Err(format!("no `command`: name the program and its arguments, as in {EXAMPLE}"));
        }
    };
    if name.is_empty() {
        return Err(format!("the program's name is empty; write {EXAMPLE}"));
    }
    if arguments.iter().chain([&name]).any(|word| word.contains('\0')) {
        return Err("a program and its arguments can't hold a zero byte".to_owned());
    }
    Ok((name, arguments))
}

/// The value of an optional key.
fn optional<'a, T>(
    config: &'a Value,
    key: &str,
    expected: &str,
    read: impl FnOnce(&'a Value) -> Option<T>,
) -> Result<Option<T>, String> {
    match config.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => read(value).map(Some).ok_or_else(|| format!("`{key}` is {expected}")),
    }
}

fn texts(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect()
}

/// The part before `=`: a user who writes `KEY=secret` must not find the secret in an error.
fn before_equals(name: &str) -> &str {
    name.split('=').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[cfg(unix)]
    #[test]
    fn both_ways_of_naming_a_program_mean_the_same() {
        let one = read(&json!({"command": ["sh", "-c", "true"]})).unwrap();
        let other = read(&json!({"program": "sh", "args": ["-c", "true"]})).unwrap();
        assert_eq!(one.program.arguments, ["-c", "true"]);
        assert_eq!((one.program.file, one.program.arguments), (other.program.file, other.program.arguments));
        assert_eq!(read(&json!({"command": "sh"})).unwrap().program.name, "sh");
    }

    #[test]
    fn mistakes_say_what_to_write() {
        for (config, says) in [
            (json!({}), "no `command`"),
            (json!({"command": []}), "name is empty"),
            (json!({"command": ["sh", 1]}), "`command: [python3, extract.py]`"),
            (json!({"command": ["sh"], "program": "sh"}), "one of them"),
            (json!({"command": ["sh"], "args": []}), "`args` go with `program`"),
            (json!({"command": ["sh", "a\0b"]}), "zero byte"),
            (json!({"command": ["sh"], "answer": "yaml"}), "`completion`, `value` or `text`, found `yaml`"),
            (json!({"command": ["sh"], "env": ["KEY=secret"]}), "`KEY` can't be one"),
            (json!({"command": ["sh"], "cwd": "no/such/folder"}), "no folder `no/such/folder`"),
            (json!({"command": ["sh"], "max_output_bytes": 0}), "1 to 16777216, found 0"),
            (json!({"command": ["sh"], "show_stderr": "yes"}), "true or false"),
        ] {
            let problem = read(&config).unwrap_err();
            assert!(problem.contains(says) && !problem.contains("secret"), "{config}: {problem}");
        }
    }
}
