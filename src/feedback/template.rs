//! Prompt templates: minijinja in strict mode, their variables checked when they are loaded.

use super::Guidance;
use crate::diag::{Code, Problem, Problems, SourceFile, Span, nearest};
use crate::value::{MAX_BLOCK_BYTES, long_block};
use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior, Value};
use regex::Regex;
use serde::Serialize;
use std::fmt;
use std::sync::{Arc, LazyLock};

/// Most steps that rendering one template may take: a bound on loops in loops.
const FUEL: u64 = 2_000_000;

/// Statements that would reach for another file.
static OTHER_FILES: LazyLock<Regex> = LazyLock::new(|| {
    #[expect(clippy::unwrap_used, reason = "a constant, compiled by every test of templates")]
    Regex::new(r"\{%[-+]?\s*(?:include|extends|import|from)\b").unwrap()
});

/// What a template is for, which decides what it may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The request for candidate 0, and the task part of every correction.
    Stage,
    /// What a correction is told.
    Feedback,
}

impl Role {
    /// The variables that a template of this role may use.
    #[must_use]
    pub fn variables(self) -> &'static [&'static str] {
        match self {
            Role::Stage => &["document_type", "source", "schema", "variables"],
            Role::Feedback => &[
                "iteration",
                "score",
                "target",
                "critical",
                "major",
                "minor",
                "missing",
                "priority",
                "suggestions",
                "failed_attempts",
                "dropped",
                "previous",
            ],
        }
    }
}

/// All templates of a profile.
pub struct Templates {
    environment: Environment<'static>,
}

/// A loaded template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template(Arc<str>);

impl fmt::Debug for Templates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Templates")
    }
}

impl Default for Templates {
    fn default() -> Self {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_fuel(Some(FUEL));
        environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
        Templates { environment }
    }
}

#[derive(Serialize)]
struct StageVariables<'a> {
    document_type: &'a str,
    source: &'a str,
    schema: Option<&'a str>,
    variables: &'a serde_json::Map<String, serde_json::Value>,
}

impl Templates {
    /// Adds the template in `file`. A syntax error or an unknown variable is a problem at its place.
    pub fn add(&mut self, role: Role, file: &Arc<SourceFile>, problems: &mut Problems) -> Option<Template> {
        let name = file.name().to_owned();
        if let Some(at) = long_block(file.text()) {
            let problem = format!("this block has more than {MAX_BLOCK_BYTES} bytes");
            problems.push(Problem::error(Code::TooLarge, &Span::new(file, at, at + 2), problem));
            return None;
        }
        if let Some(found) = OTHER_FILES.find(file.text()) {
            let span = Span::new(file, found.start(), found.end());
            problems.push(
                Problem::error(
                    Code::BadTemplate,
                    &span,
                    "a template stands alone: it can't include or extend another",
                )
                .help("write the text out"),
            );
            return None;
        }
        if let Err(error) = self.environment.add_template_owned(name.clone(), file.text().to_owned()) {
            let span = error.range().map_or_else(
                || line_span(file, error.line().unwrap_or(1)),
                |range| Span::new(file, range.start, range.end),
            );
            let message = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
            problems.push(Problem::error(Code::BadTemplate, &span, message));
            return None;
        }
        let template = self.environment.get_template(&name).ok()?;
        let mut unknown: Vec<String> = template
            .undeclared_variables(false)
            .into_iter()
            .filter(|variable| !role.variables().contains(&variable.as_str()))
            .collect();
        unknown.sort();
        for variable in &unknown {
            let at = file.text().find(variable.as_str()).unwrap_or(0);
            let help = match nearest(variable, role.variables().iter().copied()) {
                Some(guess) => format!("did you mean `{guess}`?"),
                None => format!("known here: {}", role.variables().join(", ")),
            };
            let span = Span::new(file, at, at + variable.len());
            problems.push(
                Problem::error(Code::BadTemplate, &span, format!("unknown variable `{variable}`")).help(help),
            );
        }
        unknown.is_empty().then(|| Template(name.into()))
    }

    /// The names of the profile's `variables` that a template uses.
    #[must_use]
    pub fn profile_variables(&self, template: &Template) -> Vec<String> {
        let Ok(template) = self.environment.get_template(&template.0) else { return Vec::new() };
        let used = template.undeclared_variables(true);
        let mut names: Vec<String> = used
            .iter()
            .filter_map(|path| path.strip_prefix("variables.")?.split('.').next())
            .map(str::to_owned)
            .collect();
        names.sort();
        names.dedup();
        names
    }

    /// Renders the task part of a request; `variables` are the profile's.
    ///
    /// # Errors
    /// What the template engine says, such as a template that takes too many steps.
    pub fn task(
        &self,
        template: &Template,
        document_type: &str,
        source: &str,
        schema: Option<&str>,
        variables: &serde_json::Map<String, serde_json::Value>,
    ) -> Result<String, minijinja::Error> {
        self.environment.get_template(&template.0)?.render(Value::from(Serde(StageVariables {
            document_type,
            source,
            schema,
            variables,
        })))
    }

    /// Renders feedback, taking the least important points out of `guidance` until it fits in `max_bytes`. The previous
    /// answer is not counted: a correction without it would start from nothing.
    ///
    /// # Errors
    /// What the template engine says.
    pub fn feedback(
        &self,
        template: &Template,
        guidance: &mut Guidance,
        max_bytes: usize,
    ) -> Result<String, minijinja::Error> {
        let template = self.environment.get_template(&template.0)?;
        let allowed = max_bytes.saturating_add(guidance.previous.len());
        loop {
            let text = template.render(Value::from(Serde(&*guidance)))?;
            let Some(excess) = text.len().checked_sub(allowed).filter(|excess| *excess > 0) else {
                return Ok(text);
            };
            // Far too long: take out in proportion, so that thousands of points need few rounds.
            let average = (text.len() / guidance.points().max(1)).max(1);
            if !guidance.drop_least((excess / average / 2).max(1)) {
                return Ok(text);
            }
        }
    }
}

fn line_span(file: &Arc<SourceFile>, line: usize) -> Span {
    let start: usize = file.text().split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let length = file.text().get(start..).and_then(|rest| rest.lines().next()).map_or(0, str::len);
    Span::new(file, start, start + length)
}

#[cfg(test)]
mod tests {
    use super::super::Finding;
    use super::*;
    use crate::value::Severity;

    fn guidance(issues: usize) -> Guidance {
        let finding = |severity, n: usize| Finding {
            code: "X".into(),
            severity,
            path: format!("/f{n}"),
            message: "is wrong in a way that takes some words to say".into(),
            suggested_fix: None,
        };
        Guidance {
            iteration: 1,
            score: 0.8,
            target: Some(0.95),
            critical: vec![finding(Severity::Critical, 0)],
            major: (0..issues).map(|n| finding(Severity::Major, n)).collect(),
            minor: (0..issues).map(|n| finding(Severity::Minor, n)).collect(),
            missing: vec!["grade".into()],
            priority: vec!["grade".into()],
            suggestions: vec![],
            failed_attempts: vec!["attempt 1 changed /grade: accuracy fell from 1.000 to 0.500".into()],
            dropped: 0,
            previous: "{}".into(),
        }
    }

    fn shipped() -> (Templates, Template) {
        let mut templates = Templates::default();
        let mut problems = Problems::new();
        let text = include_str!("../../prompts/feedback/default.md");
        let template = templates.add(Role::Feedback, &SourceFile::new("default.md", text), &mut problems);
        assert!(problems.is_empty(), "{problems:?}");
        (templates, template.unwrap())
    }

    #[test]
    fn the_shipped_feedback_says_what_is_wrong() {
        let (templates, template) = shipped();
        insta::assert_snapshot!(templates.feedback(&template, &mut guidance(1), 20_000).unwrap(), @r#"
        Your answer so far scores 80.0 % of 100 %; 95.0 % is needed. Answer again with the whole, corrected JSON object.

        Must be put right:
        - /f0: is wrong in a way that takes some words to say

        Should be put right:
        - /f0: is wrong in a way that takes some words to say

        Could be better:
        - /f0: is wrong in a way that takes some words to say

        Missing: grade.
        Look at these first: grade.

        Earlier corrections that made it worse; do not repeat them:
        - attempt 1 changed /grade: accuracy fell from 1.000 to 0.500

        An optional value that is not known must be left out, never an empty string. Keep what is right.

        Your answer so far:
        {}
        "#);
    }

    #[test]
    fn the_least_severe_issues_are_dropped_first_and_the_drop_is_said() {
        let (templates, template) = shipped();
        let text = templates.feedback(&template, &mut guidance(2_000), 3_000).unwrap();
        assert!(text.len() <= 3_002, "{}", text.len());
        assert!(
            text.contains("Must be put right:")
                && text.contains("/f0")
                && text.contains("less important points")
        );
        assert!(!text.contains("Could be better"));
    }

    #[test]
    fn suggestions_of_dropped_issues_are_dropped_with_them() {
        let (templates, template) = shipped();
        let mut guidance = guidance(2_000);
        for (n, finding) in guidance.minor.iter_mut().enumerate() {
            finding.suggested_fix = Some(format!("put the value of field {n} as the document writes it"));
        }
        guidance.suggestions = guidance.minor.iter().filter_map(|f| f.suggested_fix.clone()).collect();
        let text = templates.feedback(&template, &mut guidance, 3_000).unwrap();
        assert!(text.len() <= 3_002, "{}", text.len());
        assert!(text.contains("Should be put right:"));
    }

    #[test]
    fn unknown_variables_are_found_when_loading() {
        let mut problems = Problems::new();
        let file = SourceFile::new("f.md", "score {{ scor }} {% if x %}{% endif %}");
        assert!(Templates::default().add(Role::Feedback, &file, &mut problems).is_none());
        assert_eq!(problems.len(), 2);
        assert_eq!(problems.iter().next().unwrap().help.as_deref(), Some("did you mean `score`?"));
        let mut problems = Problems::new();
        for text in ["{% include 'x' %}".to_owned(), format!("{{{{ {} score }}}}", "not ".repeat(60_000))] {
            assert!(
                Templates::default()
                    .add(Role::Feedback, &SourceFile::new("f.md", text), &mut problems)
                    .is_none()
            );
        }
        assert_eq!(problems.len(), 2);
    }
}
