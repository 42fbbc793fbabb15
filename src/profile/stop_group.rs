//! `stop.any` and `stop.all`: criteria that compose.

use super::keys;
use super::stop::{
    Budget, MinImprovement, Oscillation, ScriptCriterion, Stagnation, decode_decline, decode_flip_flop,
    decode_scripts,
};
use crate::diag::{Code, Problem, Problems};
use crate::value::Millis;
use crate::value::decode::{Count, Decode, unknown_word, wrong_type};
use crate::value::shape::Shape;
use crate::value::yaml::{Data, Entry, Node};
use std::sync::Arc;

/// One reason to stop, as a plain key of `stop` or as a member of a group.
#[derive(Debug, Clone)]
pub enum Criterion {
    /// Most candidates assessed.
    MaxIterations(u64),
    /// Most corrections made.
    MaxCorrections(u64),
    /// The candidate equals one assessed before.
    Unchanged,
    /// Consecutive rollbacks.
    Rollbacks(u64),
    /// Scores that hardly move.
    Stagnation(Stagnation),
    /// Too little gain.
    MinImprovement(MinImprovement),
    /// This many overalls in a row, each lower than the one before.
    Decline(usize),
    /// Scores that go up and down.
    Oscillation(Oscillation),
    /// So many returns of one path of the candidate to the value it had.
    FlipFlop(u64),
    /// A function of the author's own.
    Script(Arc<ScriptCriterion>),
    /// Longest time.
    Timeout(Millis),
    /// Most that may be spent.
    Budget(Budget),
}

/// One element of a group.
#[derive(Debug, Clone)]
pub enum GroupMember {
    /// A criterion.
    One(Criterion),
    /// Fires when one of these does.
    Any(Vec<GroupMember>),
    /// Fires when all of these do.
    All(Vec<GroupMember>),
}

impl GroupMember {
    /// Shows every criterion in it.
    pub(super) fn visit(&self, see: &mut dyn FnMut(&Criterion)) {
        match self {
            GroupMember::One(criterion) => see(criterion),
            GroupMember::Any(members) | GroupMember::All(members) => {
                members.iter().for_each(|member| member.visit(see));
            }
        }
    }
}

/// Reads the list under `any` or `all`.
pub(super) fn decode_members(node: &Node, problems: &mut Problems) -> Vec<GroupMember> {
    let Data::List(items) = &node.data else {
        return wrong_type(node, "a list of criteria", problems).unwrap_or_default();
    };
    if items.is_empty() {
        problems.push(
            Problem::error(Code::Empty, &node.span, "this group has no criterion")
                .help("add one, such as `- stagnation: { window: 2, epsilon: 0.05 }`, or remove the group"),
        );
    }
    items.iter().filter_map(|item| GroupMember::decode(item, problems)).collect()
}

impl Decode for GroupMember {
    const EXPECTED: &'static str = "one criterion, such as `stagnation: { window: 2, epsilon: 0.05 }`";

    fn shape() -> Shape {
        keys::member()
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let Data::Map(entries) = &node.data else { return wrong_type(node, Self::EXPECTED, problems) };
        let [entry] = entries.as_slice() else {
            let found = entries.len();
            problems.push(
                Problem::error(
                    Code::Conflict,
                    &node.span,
                    format!("an element of a group is one criterion, found {found}"),
                )
                .help("give each its own `-`, or nest them under `all:` or `any:`"),
            );
            return None;
        };
        match entry.key.as_str() {
            "any" => Some(GroupMember::Any(decode_members(&entry.value, problems))),
            "all" => Some(GroupMember::All(decode_members(&entry.value, problems))),
            _ => decode_criterion(entry, problems).map(GroupMember::One),
        }
    }
}

fn decode_criterion(entry: &Entry, problems: &mut Problems) -> Option<Criterion> {
    let node = &entry.value;
    let count = |problems: &mut Problems| Count::decode(node, problems).map(|count| u64::from(count.0));
    Some(match entry.key.as_str() {
        "max_iterations" => Criterion::MaxIterations(count(problems)?),
        "max_corrections" => Criterion::MaxCorrections(u64::decode(node, problems)?),
        "unchanged" if bool::decode(node, problems)? => Criterion::Unchanged,
        "unchanged" => return wrong_type(node, "`true`", problems),
        "rollbacks" => Criterion::Rollbacks(count(problems)?),
        "stagnation" => Criterion::Stagnation(Stagnation::decode(node, problems)?),
        "min_improvement" => Criterion::MinImprovement(MinImprovement::decode(node, problems)?),
        "decline" => Criterion::Decline(decode_decline(node, problems)?),
        "oscillation" => Criterion::Oscillation(Oscillation::decode(node, problems)?),
        "flip_flop" => Criterion::FlipFlop(decode_flip_flop(node, problems)?),
        "script" => Criterion::Script(decode_one_script(node, problems)?),
        "timeout" => Criterion::Timeout(Millis::decode(node, problems)?),
        "budget" => {
            let budget = Budget::decode(node, problems)?;
            if budget == Budget::default() {
                let problem = Problem::error(Code::Empty, &node.span, "this budget has no limit");
                problems.push(problem.help("set `cost_usd`, `tokens` or `calls`"));
            }
            Criterion::Budget(budget)
        }
        other => {
            let known: Vec<&str> = keys::CRITERION.all_keys().map(|key| key.name).collect();
            return unknown_word(&entry.key_span, "criterion", other, &known, problems);
        }
    })
}

fn decode_one_script(node: &Node, problems: &mut Problems) -> Option<Arc<ScriptCriterion>> {
    let errors_before = problems.error_count();
    let scripts = decode_scripts(node, problems);
    if let [script] = scripts.as_slice() {
        return Some(Arc::clone(script));
    }
    if problems.error_count() == errors_before {
        let found = scripts.len();
        problems.push(
            Problem::error(
                Code::Conflict,
                &node.span,
                format!("an element of a group is one script, found {found}"),
            )
            .help("give each its own `- script:`"),
        );
    }
    None
}
