//! The pages (`crates/app/src/explain/pages`): templates of the text for each kind of fact.
//!
//! A page begins with its title. `## kind (form)` begins the template of a kind of fact, whose variables are the fact's
//! values. Lines are joined by a space, except those that come out empty. A `phrase` is no
//! statement of its own: others take it up with `say`, which renders the kind that a value names.

use super::model::Form;
use super::words;
use crate::value::Millis;
use crate::value::prose::duration;
use minijinja::value::{Serde, ValueKind};
use minijinja::{AutoEscape, Environment, Error, ErrorKind, State, UndefinedBehavior, Value};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Every page, in the order in which they are read, with a word for it that does not change.
const PAGES: [(&str, &str); 12] = [
    ("summary", include_str!("../pages/summary.md")),
    ("purpose", include_str!("../pages/purpose.md")),
    ("reading", include_str!("../pages/reading.md")),
    ("candidate", include_str!("../pages/candidate.md")),
    ("scoring", include_str!("../pages/scoring.md")),
    ("acceptance", include_str!("../pages/acceptance.md")),
    ("stopping", include_str!("../pages/stopping.md")),
    ("selection", include_str!("../pages/selection.md")),
    ("request", include_str!("../pages/request.md")),
    ("people", include_str!("../pages/people.md")),
    ("limits", include_str!("../pages/limits.md")),
    ("network", include_str!("../pages/network.md")),
];

/// A page without its templates.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) key: &'static str,
    pub(super) title: &'static str,
}

/// Every page, and the templates of all of them.
pub(super) struct Pages {
    pub(super) pages: Vec<Page>,
    /// The page of a kind of fact, and its layout.
    kinds: BTreeMap<&'static str, (usize, Form)>,
    environment: Environment<'static>,
    /// Templates that do not compile, and forms that do not exist.
    mistakes: Vec<String>,
}

static ALL: LazyLock<Pages> = LazyLock::new(Pages::read);

impl Pages {
    /// All of them, read once.
    pub(super) fn all() -> &'static Pages {
        &ALL
    }

    /// The page of a kind of fact, and its layout.
    pub(super) fn place(&self, kind: &str) -> Option<(usize, Form)> {
        self.kinds.get(kind).copied()
    }

    /// The text for a fact. A template of ours that fails is shown in its position rather than left out.
    pub(super) fn text(&self, kind: &str, values: &serde_json::Value) -> String {
        let said = self.environment.get_template(kind).and_then(|template| template.render(Serde(values)));
        said.map_or_else(|error| format!("({kind} can't be said: {error})"), |text| joined(&text))
    }

    fn read() -> Self {
        let mut all = Pages {
            pages: Vec::new(),
            kinds: BTreeMap::new(),
            environment: environment(),
            mistakes: Vec::new(),
        };
        for (key, text) in PAGES {
            let (title, rest) = text.split_once('\n').unwrap_or((text, ""));
            let at = all.pages.len();
            all.pages.push(Page { key, title: title.trim_start_matches('#').trim() });
            for block in rest.split("\n## ").skip(1) {
                let (head, body) = block.split_once('\n').unwrap_or((block, ""));
                let (kind, form) = head.trim().trim_end_matches(')').rsplit_once(" (").unwrap_or((head, ""));
                match Form::from_word(form) {
                    Some(form) => {
                        all.kinds.insert(kind, (at, form));
                    }
                    None if form == "phrase" => {}
                    None => all.mistakes.push(format!("{kind} has the form `{form}`")),
                }
                if all.environment.get_template(kind).is_ok() {
                    all.mistakes.push(format!("{kind} is written twice"));
                }
                if let Err(error) = all.environment.add_template_owned(kind, one_line(body)) {
                    all.mistakes.push(format!("{kind}: {error}"));
                }
            }
        }
        all
    }
}

/// Separates the lines of a template until it has been rendered.
const BREAK: char = '\u{1}';

/// The lines of a template as one.
fn one_line(body: &str) -> String {
    let lines = body.lines().map(str::trim).filter(|part| !part.is_empty());
    lines.collect::<Vec<_>>().join(&BREAK.to_string())
}

/// Joins the rendered lines of a template, with a space between those that are not empty.
fn joined(rendered: &str) -> String {
    let parts = rendered.split(BREAK).map(|part| part.trim_matches(' ')).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(" ")
}

/// The environment that pages are rendered with.
fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.add_function("say", say);
    environment.add_filter("name", |text: String| words::name(&text));
    environment.add_filter("path", |text: String| words::path(&text));
    environment.add_filter("score", words::score);
    environment.add_filter("percent", words::percent);
    environment.add_filter("dollars", |amount: f64| format!("US${}", words::score(amount)));
    environment.add_filter("whole", words::whole);
    environment.add_filter("times", words::times);
    environment.add_filter("duration", |ms: u64| duration(Millis(ms)));
    environment.add_filter("count", |number: u64, what: String| words::count(number, &what));
    environment.add_filter("plural", |number: u64, what: String| words::plural(number, &what));
    environment.add_filter("capital", |text: String| words::capital(&text));
    environment.add_filter("target", |text: String| words::target(&text));
    environment.add_filter("issue", |kind: String| words::issues(&kind, false));
    environment.add_filter("issues", |kind: String| words::issues(&kind, true));
    environment.add_filter("listed", |items: Value, last: Option<String>| {
        Ok::<_, Error>(words::list(&texts(&items)?, last.as_deref().unwrap_or("and")))
    });
    environment.add_filter("names", |items: Value, last: Option<String>| {
        let names: Vec<String> = texts(&items)?.iter().map(|text| words::name(text)).collect();
        Ok::<_, Error>(words::list(&names, last.as_deref().unwrap_or("and")))
    });
    environment.add_filter("paths", |items: Value| {
        let paths: Vec<String> = texts(&items)?.iter().map(|text| words::path(text)).collect();
        Ok::<_, Error>(words::list(&paths, "and"))
    });
    environment.add_filter("pairs", |items: Value| {
        let mut pairs = Vec::new();
        for pair in items.try_iter()? {
            let [key, value] = [0, 1].map(|at| pair.get_item_by_index(at));
            pairs.push(format!("{} = {}", words::name(&text(&key?)), words::name(&text(&value?))));
        }
        Ok::<_, Error>(words::list(&pairs, "and"))
    });
    environment
}

/// Renders the kind that a text names, or a value under `kind`; a text's values are given beside it.
fn say(state: &State<'_, '_>, what: Value, with: Option<Value>) -> Result<String, Error> {
    let (kind, values) = match what.kind() {
        ValueKind::String => (what, with.unwrap_or_else(|| Value::from(BTreeMap::<String, Value>::new()))),
        _ => (what.get_attr("kind")?, what),
    };
    let Some(kind) = kind.as_str() else {
        return Err(Error::new(ErrorKind::InvalidOperation, "what is to be said has no kind"));
    };
    Ok(joined(&state.env().get_template(kind)?.render(values)?))
}

fn texts(items: &Value) -> Result<Vec<String>, Error> {
    Ok(items.try_iter()?.map(|item| text(&item)).collect())
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_template_compiles() {
        assert_eq!(Pages::all().mistakes, Vec::<String>::new());
    }

    #[test]
    fn lines_are_joined_where_they_say_something() {
        let line = one_line("One\n{% if x %}\n  two\n{% endif %}\n\nthree.\n");
        let said =
            |x: bool| environment().render_str(&line, minijinja::context! { x }).map(|text| joined(&text));
        assert_eq!(said(true).unwrap(), "One two three.");
        assert_eq!(said(false).unwrap(), "One three.");
    }
}
