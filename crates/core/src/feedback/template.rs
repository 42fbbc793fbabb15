//! Prompt templates: minijinja in strict mode, their variables checked when they are loaded.

use super::data_lines::as_data;
use super::unclosed::unclosed;
use super::{Guidance, JudgeVariables, Role, StageVariables, ValueVariables, names};
use crate::diag::{Code, Problem, Problems, SourceFile, Span, nearest};
use crate::value::{Engine, KeptTemplate, MAX_BLOCK_BYTES, PROMPT, Program, long_block};
use minijinja::value::{Serde, ValueKind};
use minijinja::{Error, ErrorKind, Output, State, Value};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// Statements that would reach for another file.
static OTHER_FILES: LazyLock<Regex> = LazyLock::new(|| {
    #[expect(clippy::unwrap_used, reason = "a constant, compiled by every test of templates")]
    Regex::new(r"\{%[-+]?\s*(?:include|extends|import|from)\b").unwrap()
});

/// A stage that is named in brackets: `stages["X"]`.
static SUBSCRIPT: LazyLock<Regex> = LazyLock::new(|| {
    #[expect(clippy::unwrap_used, reason = "a constant, compiled by every test of templates")]
    Regex::new(r#"\bstages\s*\[\s*["']([^"']*)["']\s*\]"#).unwrap()
});

/// Texts that live as long as the process: a compiled template points into its own, and is rendered for every document.
static LASTING: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

/// Most bytes that are kept so. Templates beyond them are compiled each time.
const MOST_LASTING_BYTES: usize = 16 << 20;

/// Returns the text with the lifetime of the process; `None` when there are too many such texts.
fn lasting(text: &str) -> Option<&'static str> {
    let mut lasting = LASTING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = lasting.get(text) {
        return Some(known);
    }
    let bytes: usize = lasting.iter().map(|known| known.len()).sum();
    if bytes + text.len() > MOST_LASTING_BYTES {
        return None;
    }
    let known: &'static str = Box::leak(text.to_owned().into_boxed_str());
    lasting.insert(known);
    Some(known)
}

/// All templates of a profile.
pub struct Templates {
    engine: Engine,
    sources: BTreeMap<Arc<str>, Arc<SourceFile>>,
    /// Those that are compiled already.
    kept: BTreeMap<Arc<str>, KeptTemplate>,
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
        Templates {
            engine: Engine::with_formatter(PROMPT, write_value),
            sources: BTreeMap::new(),
            kept: BTreeMap::new(),
        }
    }
}

/// An output of an earlier stage is JSON, and is written as such.
fn write_value(out: &mut Output<'_>, state: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    match value.kind() {
        ValueKind::Map | ValueKind::Seq => {
            let text = serde_json::to_string_pretty(value)
                .map_err(|error| Error::new(ErrorKind::BadSerialization, error.to_string()))?;
            out.write_str(&as_data(&text)).map_err(Error::from)
        }
        ValueKind::String => out.write_str(&as_data(value.as_str().unwrap_or_default())).map_err(Error::from),
        _ => minijinja::escape_formatter(out, state, value),
    }
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
                Problem::error(Code::BadTemplate, &span, "a template can't include or extend another")
                    .help("write the text out"),
            );
            return None;
        }
        if let Err(error) = self.engine.add(name.clone(), file.text().to_owned()) {
            if let Some(problem) = unclosed(file) {
                problems.push(problem);
                return None;
            }
            let span = error.range().map_or_else(
                || line_span(file, error.line().unwrap_or(1)),
                |range| Span::new(file, range.start, range.end),
            );
            let message = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
            let problem = Problem::error(Code::BadTemplate, &span, message);
            problems.push(problem.help(
                "a variable is written `{{ name }}`, a loop `{% for issue in critical %}…{% endfor %}`",
            ));
            return None;
        }
        self.sources.insert(name.clone().into(), Arc::clone(file));
        if let (Some(known), Some(text)) = (lasting(&name), lasting(file.text()))
            && let Ok(kept) = self.engine.keep(known, text)
        {
            self.kept.insert(name.clone().into(), kept);
        }
        let before = problems.len();
        names::check(role, file, self.engine.environment(), problems);
        (problems.len() == before).then(|| Template(name.into()))
    }

    /// Returns whether a template uses this variable at all.
    #[must_use]
    pub fn uses(&self, template: &Template, variable: &str) -> bool {
        let Ok(template) = self.engine.environment().get_template(&template.0) else { return false };
        template.undeclared_variables(false).contains(variable)
    }

    /// Adds the prompt of a stage; `earlier` are the ids of the stages before it, which `stages` holds. Any other
    /// `stages.X` is a problem at its place.
    pub fn add_stage(
        &mut self,
        file: &Arc<SourceFile>,
        earlier: &[&str],
        problems: &mut Problems,
    ) -> Option<Template> {
        let template = self.add(Role::Stage, file, problems)?;
        let loaded = self.engine.environment().get_template(&template.0).ok()?;
        let mut named: Vec<String> = loaded
            .undeclared_variables(true)
            .iter()
            .filter_map(|path| Some(path.strip_prefix("stages.")?.split('.').next()?.to_owned()))
            .chain(SUBSCRIPT.captures_iter(file.text()).filter_map(|c| Some(c.get(1)?.as_str().to_owned())))
            .filter(|id| !earlier.contains(&id.as_str()))
            .collect();
        named.sort();
        named.dedup();
        for id in &named {
            let at = [format!("stages.{id}"), format!("'{id}'"), format!("\"{id}\"")]
                .iter()
                .find_map(|text| Some(file.text().find(text.as_str())? + text.find(id.as_str())?))
                .unwrap_or(0);
            let help = match (nearest(id, earlier.iter().copied()), earlier) {
                (Some(guess), _) => format!("did you mean `{guess}`?"),
                (None, []) => "this is the first stage".to_owned(),
                (None, _) => format!("stages before this one: {}", earlier.join(", ")),
            };
            let problem = format!("no stage before this one is called `{id}`");
            let span = Span::new(file, at, at + id.len());
            problems.push(Problem::error(Code::BadTemplate, &span, problem).help(help));
        }
        named.is_empty().then_some(template)
    }

    /// The names of the profile's `variables` that a template uses.
    #[must_use]
    pub fn profile_variables(&self, template: &Template) -> Vec<String> {
        let Ok(template) = self.engine.environment().get_template(&template.0) else { return Vec::new() };
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

    /// The members of earlier stages' answers that a prompt uses: a stage's id and a member of its answer.
    #[must_use]
    pub fn stage_members(&self, template: &Template) -> Vec<(String, String)> {
        let Ok(template) = self.engine.environment().get_template(&template.0) else { return Vec::new() };
        let used = template.undeclared_variables(true);
        let mut members: Vec<(String, String)> = used
            .iter()
            .filter_map(|path| {
                let mut parts = path.strip_prefix("stages.")?.split('.');
                Some((parts.next()?.to_owned(), parts.next()?.to_owned()))
            })
            .collect();
        members.sort();
        members
    }

    fn program(&self, template: &Template) -> Result<Program<'_>, Error> {
        if let Some(kept) = self.kept.get(&template.0) {
            return Ok(self.engine.kept(kept));
        }
        let (name, source) = self.sources.get_key_value(&template.0).ok_or_else(|| {
            Error::new(ErrorKind::TemplateNotFound, format!("no template is called {}", template.0))
        })?;
        self.engine.template(name, source.text())
    }

    /// Renders the task part of a request.
    ///
    /// # Errors
    /// Returns the error of the template engine, such as for a template that takes too many steps.
    pub fn task(&self, template: &Template, variables: &StageVariables<'_>) -> Result<String, Error> {
        self.program(template)?.render(Value::from(Serde(variables)))
    }

    /// Renders the request to a judge.
    ///
    /// # Errors
    /// Returns the error of the template engine.
    pub fn judge(&self, template: &Template, variables: &JudgeVariables<'_>) -> Result<String, Error> {
        self.program(template)?.render(Value::from(Serde(variables)))
    }

    /// Renders the request to a judge of single values.
    ///
    /// # Errors
    /// Returns the error of the template engine.
    pub fn value_judge(&self, template: &Template, variables: &ValueVariables<'_>) -> Result<String, Error> {
        self.program(template)?.render(Value::from(Serde(variables)))
    }

    /// Renders feedback, taking the least important points out of `guidance` until it fits in `max_bytes`. The previous
    /// answer is not counted: cut short it would be no answer, and counted whole it would push out the description of
    /// its errors. `previous_output` makes it smaller.
    ///
    /// # Errors
    /// Returns the error of the template engine.
    pub fn feedback(
        &self,
        template: &Template,
        guidance: &mut Guidance,
        max_bytes: usize,
    ) -> Result<String, Error> {
        let template = self.program(template)?;
        // Each point takes a byte at least. Hundreds of thousands would take more steps than rendering may.
        let too_many = guidance.points().saturating_sub(max_bytes);
        if too_many > 0 {
            guidance.drop_least(too_many);
        }
        loop {
            let shown = guidance.previous.as_ref().map_or(0, String::len);
            let allowed = max_bytes.saturating_add(shown);
            let text = template.render(Value::from(Serde(&*guidance)))?;
            let Some(excess) = text.len().checked_sub(allowed).filter(|excess| *excess > 0) else {
                return Ok(text);
            };
            // Far too long: take out in proportion, so that thousands of points need few rounds.
            let average = (text.len().saturating_sub(shown) / guidance.points().max(1)).max(1);
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
    use super::super::previous::Previous;
    use super::super::{Finding, Passage};
    use super::*;
    use crate::profile::PreviousOutput;
    use crate::value::Severity;
    use serde_json::json;
    use std::collections::BTreeMap;

    fn guidance(issues: usize) -> Guidance {
        let finding = |severity, n: usize| Finding {
            code: "X".into(),
            severity,
            path: format!("/f{n}"),
            message: "is wrong in a way that takes some words to say".into(),
            rule: None,
            suggested_fix: None,
        };
        Guidance {
            iteration: 1,
            stage: "extract".into(),
            score: 0.8,
            target: Some(0.95),
            critical: vec![finding(Severity::Critical, 0)],
            major: (0..issues).map(|n| finding(Severity::Major, n)).collect(),
            minor: (0..issues).map(|n| finding(Severity::Minor, n)).collect(),
            missing: vec!["grade".into()],
            priority: vec!["grade".into()],
            suggestions: vec![],
            locked: vec![],
            failed_attempts: vec!["attempt 1 changed /grade: accuracy fell from 1.000 to 0.500".into()],
            dropped: 0,
            previous: Some("{}".into()),
            partial: false,
            source: Previous::new(&json!({}), Some(&Arc::new(json!({}))), PreviousOutput::Include),
        }
    }

    fn shipped() -> (Templates, Template) {
        let mut templates = Templates::default();
        let mut problems = Problems::new();
        let text = include_str!("../../../../prompts/feedback/default.md");
        let template = templates.add(Role::Feedback, &SourceFile::new("default.md", text), &mut problems);
        assert!(problems.is_empty(), "{problems:?}");
        (templates, template.unwrap())
    }

    #[test]
    fn the_least_severe_issues_are_dropped_first_and_the_drop_is_said() {
        let (templates, template) = shipped();
        let text = templates.feedback(&template, &mut guidance(2_000), 3_000).unwrap();
        assert!(text.len() <= 3_002, "{}", text.len());
        assert!(
            text.contains("Must be corrected:")
                && text.contains("/f0")
                && text.contains("less important points")
        );
        assert!(!text.contains("Could be better"));
    }

    #[test]
    fn any_number_of_issues_can_be_rendered() {
        let (templates, template) = shipped();
        let text = templates.feedback(&template, &mut guidance(150_000), 3_000).unwrap();
        assert!(text.len() <= 3_002 && text.contains("/f0"), "{}", text.len());
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
        assert!(text.contains("Should be corrected:"));
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

    const STAGE: &str = "{{ document_type }}|{{ stage }}|{{ stages.tagger.tags[0] }}|{{ stages.tagger }}\
        {% for passage in context %}|{{ passage.file }}: {{ passage.text }}{% endfor %}";

    fn with_earlier(text: &str, earlier: &[&str]) -> (Templates, Option<Template>, Problems) {
        let (mut templates, mut problems) = (Templates::default(), Problems::new());
        let template = templates.add_stage(&SourceFile::new("stage.md", text), earlier, &mut problems);
        (templates, template, problems)
    }

    #[test]
    fn a_stage_sees_what_earlier_stages_found_and_passages() {
        let (templates, template, problems) = with_earlier(STAGE, &["tagger"]);
        assert!(problems.is_empty(), "{problems:?}");
        let stages = BTreeMap::from([("tagger".to_owned(), json!({"tags": ["it's \"x\"", null]}))]);
        let context = [Passage { file: "context/acr.md".into(), text: "Use the lexicon.".into() }];
        let variables = StageVariables {
            document_type: "radiology",
            source: "text",
            schema: None,
            stage: "classifier",
            stages: &stages,
            context: &context,
            variables: &serde_json::Map::new(),
        };
        // Outputs are written as JSON, texts as they are.
        assert_eq!(
            templates.task(&template.unwrap(), &variables).unwrap(),
            "radiology|classifier|it's \"x\"|{\n  \"tags\": [\n    \"it's \\\"x\\\"\",\n    null\n  ]\n}|context/acr.md: Use the lexicon."
        );
    }

    #[test]
    fn a_stage_that_does_not_come_before_is_found_when_loading() {
        let text = "{{ stages.tager.tags }} {{ stages['late'] }} {{ stages[\"tagger\"] }}";
        let (_, template, problems) = with_earlier(text, &["tagger"]);
        assert!(template.is_none());
        let found: Vec<(String, Option<&str>)> =
            problems.iter().map(|p| (p.message.clone(), p.help.as_deref())).collect();
        assert_eq!(
            found,
            [
                (
                    "no stage before this one is called `late`".to_owned(),
                    Some("stages before this one: tagger")
                ),
                ("no stage before this one is called `tager`".to_owned(), Some("did you mean `tagger`?")),
            ]
        );
        let (_, template, problems) = with_earlier("{{ stages.tagger }}", &[]);
        assert!(template.is_none());
        assert_eq!(problems.iter().next().unwrap().help.as_deref(), Some("this is the first stage"));
    }

    #[test]
    fn a_judge_sees_the_candidate_and_nothing_of_the_loop() {
        let (mut templates, mut problems) = (Templates::default(), Problems::new());
        let file =
            SourceFile::new("judge.md", "{{ document_type }} {{ source }} {{ candidate }} {{ schema }}");
        let template = templates.add(Role::Judge, &file, &mut problems).unwrap();
        let variables = JudgeVariables {
            reference: None,
            document_type: "lab",
            source: "Na 140",
            candidate: "{\"na\": 140}",
            schema: Some("{}"),
        };
        assert_eq!(templates.judge(&template, &variables).unwrap(), "lab Na 140 {\"na\": 140} {}");
        for unknown in ["score", "stages", "previous"] {
            let file = SourceFile::new("judge.md", format!("{{{{ {unknown} }}}}"));
            assert!(templates.add(Role::Judge, &file, &mut problems).is_none(), "{unknown}");
        }
    }
}
