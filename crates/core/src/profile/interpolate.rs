//! `${VAR:-default}` in profiles: settings from the environment.

use crate::diag::{Code, Problem, Problems};
use crate::value::yaml::{Data, Node, resolve_plain};

/// Gives the value of an environment variable; tests pass a closure of their own.
pub type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Fills in the variables of every scalar below `node`. An unquoted scalar gets its type from the result, so
/// `max_iterations: ${N:-3}` is a number. `$${` is a literal `${`.
pub(super) fn interpolate(node: &mut Node, environment: Environment<'_>, problems: &mut Problems) {
    match &mut node.data {
        Data::List(items) => items.iter_mut().for_each(|item| interpolate(item, environment, problems)),
        Data::Map(entries) => {
            entries.iter_mut().for_each(|e| interpolate(&mut e.value, environment, problems))
        }
        Data::Text { text, plain } if text.contains("${") => {
            let mut filled = String::new();
            let mut rest = text.as_str();
            while let Some((before, after)) = rest.split_once("${") {
                if let Some(before) = before.strip_suffix('$') {
                    filled.push_str(before);
                    filled.push_str("${");
                    rest = after;
                    continue;
                }
                filled.push_str(before);
                let Some((inside, after)) = after.split_once('}') else {
                    problems.push(
                        Problem::error(Code::Syntax, &node.span, "`${` without its `}`")
                            .help("write `${NAME:-default}`"),
                    );
                    return;
                };
                let (name, default) = match inside.split_once(":-") {
                    Some((name, default)) => (name, Some(default)),
                    None => (inside, None),
                };
                if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                    problems.push(
                        Problem::error(
                            Code::Syntax,
                            &node.span,
                            format!("`{name}` is not the name of a variable"),
                        )
                        .help("write `${NAME:-default}`"),
                    );
                    return;
                }
                if let Some(word) = secret_word(name) {
                    problems.push(
                        Problem::error(
                            Code::Conflict,
                            &node.span,
                            format!("a profile can't read the environment variable `{name}`"),
                        )
                        .help(format!(
                            "its name has `{word}` in it, and what a profile reads may go to a server; providers find their \
                             keys themselves"
                        )),
                    );
                    return;
                }
                match environment(name)
                    .filter(|value| !value.is_empty())
                    .or_else(|| default.map(str::to_owned))
                {
                    Some(value) => filled.push_str(&value),
                    None => {
                        problems.push(
                            Problem::error(
                                Code::UnsetVariable,
                                &node.span,
                                format!("the environment variable `{name}` is not set"),
                            )
                            .help(format!("set it, or give a default: `${{{name}:-value}}`")),
                        );
                        return;
                    }
                }
                rest = after;
            }
            filled.push_str(rest);
            node.data =
                if *plain { resolve_plain(&filled) } else { Data::Text { text: filled, plain: false } };
        }
        _ => {}
    }
}

/// Returns whether a text, as written in a file, has a variable to fill in. `$${` is a literal `${`.
#[must_use]
pub fn has_variable(written: &str) -> bool {
    written.replace("$${", "").contains("${")
}

/// Words in the names of variables whose values must not leave this machine.
const SECRET_WORDS: [&str; 8] =
    ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "AUTH", "COOKIE"];

/// The word that marks a variable or setting of this name as a secret.
#[must_use]
pub fn secret_word(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_uppercase();
    SECRET_WORDS.into_iter().find(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::SourceFile;
    use crate::value::yaml::parse;
    use serde_json::json;

    fn filled(text: &str) -> (serde_json::Value, Problems) {
        let mut problems = Problems::new();
        let mut node = parse(&SourceFile::new("p.yaml", text), &mut problems).unwrap();
        let environment = |name: &str| (name == "SET").then(|| "7".to_owned());
        interpolate(&mut node, &environment, &mut problems);
        (node.to_json(), problems)
    }

    #[test]
    fn unquoted_scalars_get_their_type_from_the_value() {
        let (json, problems) =
            filled("a: ${SET}\nb: '${SET}'\nc: ${NONE:-x y}\nd: p-${SET}-${NONE:-}.md\ne: $${SET}\n");
        assert!(problems.is_empty());
        assert_eq!(json, json!({"a": 7, "b": "7", "c": "x y", "d": "p-7-.md", "e": "${SET}"}));
    }

    #[test]
    fn secrets_are_not_for_profiles() {
        for name in ["OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "gh_token", "PGPASSWORD"] {
            let (_, problems) = filled(&format!("a: ${{{name}:-x}}\n"));
            let problem = problems.iter().next().unwrap();
            assert!(problem.message.contains("can't read") && problem.message.contains(name), "{name}");
        }
        assert!(filled("a: ${LOOPCTL_JUDGE:-none}\nb: $${OPENAI_API_KEY}\n").1.is_empty());
    }

    #[test]
    fn what_is_unset_or_broken_is_reported() {
        let (_, problems) = filled("a: ${NONE}\nb: ${SET\nc: ${a b}\n");
        assert_eq!(problems.len(), 3);
    }
}
