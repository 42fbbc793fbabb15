//! `script`: criteria of the author's own.

use super::rule::{Constant, Declared, Looked, Memory, Progress, Properties, Rule, Seen};
use super::{Criterion, Doubt, EndingLine, Ground, Overtakes};
use crate::diag::{Code, Problem, Problems};
use crate::value::decode::{Decode, Spanned, wrong_type};
use crate::value::prose::name;
use crate::value::shape::{Key, Names, Null, Open, Shape};
use crate::value::yaml::{Data, Node};
use smallvec::smallvec;
use std::sync::Arc;

/// A criterion of the author's own.
#[derive(Debug, Clone)]
pub struct ScriptCriterion {
    /// Its name; the reason to stop is `script:NAME`.
    pub name: Arc<str>,
    /// `file.rhai#function`, under `rules/`.
    pub function: Spanned<String>,
}

/// The pattern of a criterion's name: no space and no ASCII punctuation, except `-` and `_`.
const NAME: &str = r"^[^\s!-,./:-@\[-^`{-~]+$";

fn shape() -> Shape {
    Shape::Map(Open {
        key: "NAME",
        names: Names::Pattern(NAME),
        doc: "`FILE.rhai#FUNCTION` under `rules/`: `fn f(run)` returns true to stop, with the reason `script:NAME`.",
        shape: || Shape::text("`FILE.rhai#FUNCTION`"),
        null: Null::Absent,
    })
}

impl Declared for ScriptCriterion {
    const KEY: Key = Key::new("script", shape, "Stops when a function of your own says so.")
        .examples(&["{ plateau: stop.rhai#plateau }"]);

    fn ended(line: &EndingLine<'_>) -> String {
        format!("the script criterion `{}` said so", line.line)
    }

    /// Reads `{ NAME: file.rhai#function }`.
    fn read(node: &Node, problems: &mut Problems) -> Vec<Self> {
        let Data::Map(entries) = &node.data else {
            return wrong_type(node, "a mapping such as `{ plateau: stop.rhai#plateau }`", problems)
                .unwrap_or_default();
        };
        let mut criteria = Vec::new();
        for entry in entries.iter().filter(|entry| !matches!(entry.value.data, Data::Null)) {
            let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
            if entry.key.is_empty() || !entry.key.chars().all(is_word) {
                let message = format!(
                    "the name of a criterion is made of letters, digits, `_` and `-`, found `{}`",
                    entry.key
                );
                problems.push(
                    Problem::error(Code::UnknownWord, &entry.key_span, message)
                        .help("it appears in results, as in `script:plateau`"),
                );
            }
            if let Some(function) = Spanned::decode(&entry.value, problems) {
                criteria.push(ScriptCriterion { name: entry.key.as_str().into(), function });
            }
        }
        criteria
    }

    fn read_in_group(node: &Node, problems: &mut Problems) -> Option<Self> {
        let errors_before = problems.error_count();
        let mut scripts = Self::read(node, problems);
        if scripts.len() == 1 {
            return scripts.pop();
        }
        if problems.error_count() == errors_before {
            let found = scripts.len();
            let message = format!("an element of a group is one script, found {found}");
            problems.push(
                Problem::error(Code::Conflict, &node.span, message).help("give each its own `- script:`"),
            );
        }
        None
    }
}

impl ScriptCriterion {
    fn place(&self) -> String {
        format!("{}.{}", Self::KEY.name, self.name)
    }
}

impl Rule for ScriptCriterion {
    fn look(&self, run: &Progress<'_>) -> Looked {
        match (run.script)(self) {
            Ok(holds) => Seen::new(holds, f64::from(u8::from(holds)), 1.0).into(),
            // A criterion that could not be evaluated does not end the loop, and is not passed over in silence.
            Err(why) => Looked { failed: Some(why), ..Looked::default() },
        }
    }

    fn clause(&self) -> String {
        format!("the function {} says so", name(&format!("rules/{}", self.function.value)))
    }

    fn properties(&self) -> Properties {
        Properties {
            earliest: 1,
            fitting: None,
            constants: smallvec![Constant::Unknown],
            costly: None,
            needs_rollback: false,
            parts: smallvec![],
        }
    }

    fn overtakes(&self, other: &Criterion, _: &Ground) -> Option<Overtakes> {
        let Criterion::Script(other) = other else { return None };
        (self.function.value == other.function.value).then(|| Overtakes::new(false))
    }

    fn doubt(&self, _: &Ground) -> Option<Doubt> {
        None
    }

    fn remember(&self, _: &Progress<'_>, memory: &mut Memory) {
        memory.everything = true;
    }

    fn named(&self) -> Option<String> {
        Some(self.place())
    }
}
