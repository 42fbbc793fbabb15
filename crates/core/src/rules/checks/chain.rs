//! Chains of steps through a candidate, the second form of the check `resolves`.

use super::check::{AsksAbsent, Blame, Check};
use crate::diag::{Code, Problem, Problems};
use crate::mapping;
use crate::rules::placing::Placing;
use crate::rules::reference::{Reference, path, reference};
use crate::rules::rule_scope::RuleScope;
use crate::rules::shown::Shown;
use crate::value::shape::Shape;
use crate::value::yaml::{Data, Node};
use crate::value::{Fuel, Item, JsonPath, Segment};
use std::fmt;

mapping! {
    /// Steps that lead through a document: each finds its element below the one before.
    "chain" is "chain";
    #[derive(Debug, Clone)]
    pub struct Chain {
        /// The path where the first step is looked for.
        #[key(text("a JSONPath"), required, examples(&["'$.regions[*]'"]))]
        start: JsonPath as String = path,
        /// The paths where each further step is looked for, from what the one before has found.
        #[key(
            shaped(|| Shape::one_or_more(Shape::text("a path that begins with `@`"))),
            required,
            examples(&["['@.parts[*]', '@.findings[*]']"])
        )]
        below: Vec<JsonPath> as String = below_paths,
        /// The member by which the first step is found.
        #[key(required, examples(&["id"]))]
        by: String,
        /// The member by which further steps are found; an element without it is found by its position.
        #[key(required, examples(&["label"]))]
        name: String,
        /// The member of a step that says what it looks for. Without it, the step itself.
        #[key(examples(&["is"]))]
        step: Option<String>,
    }
}

impl fmt::Display for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("steps that lead to something in the document")
    }
}

impl Check for Chain {
    fn asks_absent(&self) -> AsksAbsent {
        AsksAbsent::Never
    }

    fn looks_inside(&self) -> bool {
        true
    }

    fn references(&self) -> &[Reference] {
        &[]
    }

    fn place(&mut self, placing: &mut Placing<'_>) {
        placing.path(&self.start);
    }

    fn holds(&self, item: Item<'_>, scope: Option<&RuleScope<'_, '_>>, _room: &mut String) -> Option<bool> {
        let scope = scope?;
        let is_list = matches!(item, Item::List(_));
        Some(is_list && broken_step(self, item, scope.candidate, scope.fuel).is_none())
    }

    fn blame(&self, scope: &RuleScope<'_, '_>) -> Vec<Blame> {
        let broken = || {
            let position = broken_step(self, scope.value, scope.candidate, scope.fuel)?;
            let step = scope.value.element(position)?;
            let said = self.step.as_deref().map_or(Some(step), |member| step.member(member));
            let path = scope.element(position, self.step.as_deref());
            let value = said.map_or_else(String::new, |said| format!(" (`{}`)", Shown::of(said)));
            Some(Blame { message: format!("the step `{path}`{value} leads nowhere in the document"), path })
        };
        Vec::from_iter(broken())
    }
}

/// The paths of all further steps, or of one.
fn below_paths(node: &Node, problems: &mut Problems) -> Option<Vec<JsonPath>> {
    match &node.data {
        Data::List(items) => items.iter().map(|item| below_path(item, problems)).collect(),
        _ => below_path(node, problems).map(|path| vec![path]),
    }
}

/// A path from what a step has found, written `@.b`.
fn below_path(node: &Node, problems: &mut Problems) -> Option<JsonPath> {
    match reference(node, problems)? {
        Reference::Target(path) => Some(path),
        Reference::Field { .. }
        | Reference::Root { .. }
        | Reference::Holder { .. }
        | Reference::Before(_) => {
            problems.push(
                Problem::error(
                    Code::BadPath,
                    &node.span,
                    "a further step is looked for below the one before",
                )
                .help("write a path that begins with `@`, such as `@.children[*]`"),
            );
            None
        }
    }
}

/// The position of the first step that leads nowhere; `None` when all of them lead on. A step that several values match
/// leads to the first of them.
fn broken_step(chain: &Chain, steps: Item<'_>, candidate: Item<'_>, fuel: &Fuel) -> Option<usize> {
    let mut here: Option<Item<'_>> = None;
    for (position, step) in steps.elements().enumerate() {
        let wanted = match &chain.step {
            Some(member) => step.member(member),
            None => Some(step),
        };
        let Some(wanted) = wanted else { return Some(position) };
        let found = match here {
            None => first_step(chain, wanted, candidate, fuel),
            Some(above) => further_step(chain, wanted, above, fuel),
        };
        if found.is_none() {
            return Some(position);
        }
        here = found;
    }
    None
}

fn first_step<'v>(chain: &Chain, wanted: Item<'_>, candidate: Item<'v>, fuel: &Fuel) -> Option<Item<'v>> {
    let mut found = None;
    chain.start.visit(candidate, fuel, &mut |_, value| {
        if found.is_none() && value.member(&chain.by).is_some_and(|named| named.equals(wanted, false)) {
            found = Some(value);
        }
    });
    found
}

fn further_step<'v>(chain: &Chain, wanted: Item<'_>, above: Item<'v>, fuel: &Fuel) -> Option<Item<'v>> {
    let index = match wanted {
        Item::Text(text) => text.parse::<usize>().ok(),
        Item::Number(number) => number.as_u64().and_then(|n| usize::try_from(n).ok()),
        _ => None,
    };
    let mut found = None;
    for path in &chain.below {
        path.visit(above, fuel, &mut |at, value| {
            if found.is_some() {
                return;
            }
            let answers = match value.member(&chain.name) {
                Some(named) => named.equals(wanted, false),
                None => index.is_some() && at.last() == index.map(Segment::Index),
            };
            if answers {
                found = Some(value);
            }
        });
    }
    found
}
