//! Texts with `{{ value }}` in them: checked when they are loaded, rendered when an issue needs them.

use crate::diag::{Code, Problem, Problems, Span, nearest};
use crate::value::{Engine, MAX_BLOCK_BYTES, MESSAGE, long_block, unknown_operations};
use std::sync::{Arc, LazyLock};

static ENGINE: LazyLock<Engine> = LazyLock::new(|| Engine::new(MESSAGE));

/// A template that compiles and uses known variables only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    source: Arc<str>,
    is_fixed: bool,
}

impl Template {
    /// Checks a text. Mistakes are reported at `span`.
    pub fn check(source: &str, known: &[&str], span: &Span, problems: &mut Problems) -> Option<Self> {
        let is_fixed = !["{{", "{%", "{#"].iter().any(|mark| source.contains(mark));
        if is_fixed {
            return Some(Template { source: source.into(), is_fixed });
        }
        if long_block(source).is_some() {
            let message = format!("this template has a block of more than {MAX_BLOCK_BYTES} bytes");
            problems.push(Problem::error(Code::TooLarge, span, message));
            return None;
        }
        let compiled = ENGINE.template("template", source);
        let (compiled, variables) =
            match compiled.and_then(|program| Ok((program, ENGINE.undeclared(source)?))) {
                Ok(compiled) => compiled,
                Err(error) => {
                    let what = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
                    problems.push(Problem::error(
                        Code::BadTemplate,
                        span,
                        format!("this template does not compile: {what}"),
                    ));
                    return None;
                }
            };
        let environment = ENGINE.environment();
        let mut unknown: Vec<String> = variables
            .into_iter()
            .filter(|name| {
                !known.contains(&name.as_str()) && !environment.globals().any(|(global, _)| global == name)
            })
            .collect();
        unknown.sort();
        for name in &unknown {
            let list = known.iter().map(|k| format!("`{k}`")).collect::<Vec<_>>().join(", ");
            let help = match nearest(name, known.iter().copied()) {
                Some(guess) => format!("did you mean `{guess}`? Known: {list}"),
                None => format!("known: {list}"),
            };
            problems.push(
                Problem::error(
                    Code::BadTemplate,
                    span,
                    format!("this template uses the unknown variable `{name}`"),
                )
                .help(help),
            );
        }
        let operations = unknown_operations(&compiled);
        for (operation, name) in &operations {
            let message = format!("this template uses the unknown {} `{name}`", operation.what());
            let problem = Problem::error(Code::BadTemplate, span, message);
            problems.push(problem.help(operation.advice(environment, name)));
        }
        (unknown.is_empty() && operations.is_empty()).then(|| Template { source: source.into(), is_fixed })
    }

    /// The text with its variables filled in.
    ///
    /// # Errors
    /// Returns one line if an expression fails at run time (a filter refuses the value, say).
    pub fn render(&self, variables: impl FnOnce() -> minijinja::Value) -> Result<String, String> {
        if self.is_fixed {
            return Ok(self.source.to_string());
        }
        ENGINE.render(&self.source, variables()).map_err(|error| error.kind().to_string())
    }

    /// The text, if there is nothing to fill in.
    #[must_use]
    pub fn fixed(&self) -> Option<&Arc<str>> {
        self.is_fixed.then_some(&self.source)
    }

    /// The text as it was written.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::SourceFile;

    #[test]
    fn a_filter_that_there_is_none_of_is_refused() {
        let file = SourceFile::new("r.yaml", "x");
        let check = |text: &str| {
            let mut problems = Problems::new();
            Template::check(text, &["value"], &Span::new(&file, 0, 1), &mut problems);
            problems.iter().map(|p| p.message.clone()).collect::<Vec<_>>()
        };
        assert_eq!(check("{{ value | upcase }}"), ["this template uses the unknown filter `upcase`"]);
        assert_eq!(check("{% if value is od %}x{% endif %}"), ["this template uses the unknown test `od`"]);
        assert!(
            check("{{ value | upper | tojson }}{% if value is divisible_by(2) %}x{% endif %}").is_empty()
        );
    }

    #[test]
    fn a_chain_that_would_exhaust_the_stack_is_refused() {
        let file = SourceFile::new("r.yaml", "x");
        let mut problems = Problems::new();
        let text = format!("{{{{ {}value }}}}", "not ".repeat(60_000));
        assert!(Template::check(&text, &["value"], &Span::new(&file, 0, 1), &mut problems).is_none());
        assert!(problems.iter().any(|problem| problem.to_string().contains("more than 4096 bytes")));
    }
}
