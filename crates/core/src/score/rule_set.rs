//! Applies rules to a candidate, and counts their findings.

use super::account::{MeasureKind, capped};
use super::issue::Issue;
use super::machine::{Buffers, Machine};
use super::source::Source;
use super::wording::{check_issues, script_issue};
use crate::profile::Counts;
use crate::rules::{
    CompiledRule, CompiledTarget, Condition, Index, IssueText, Memo, Operand, PlaceholderLookup, Requirement,
    RuleScope, Test,
};
use crate::script::FunctionId;
use crate::value::{Disposition, Item, Pointer, Score, Segment, Severity};
use std::cell::RefCell;

/// The number of bytes of the document's text that are one step of a test of it.
const SOURCE_STEP: usize = 16;

impl<'a> Machine<'a> {
    /// Sets the dimension to what the issues of some rules leave of it.
    pub(super) fn rules(
        &mut self,
        dimension: Index,
        rules: &'a [CompiledRule],
        (penalty, floor): (Score, Score),
        counts: Counts,
        memo: &RefCell<Memo<'a>>,
    ) {
        let before = self.out.issues.len();
        self.free.clear();
        for rule in rules {
            if self.fuel.is_spent() {
                return;
            }
            self.rule(rule, memo);
        }
        if !self.fuel.is_spent() {
            self.penalize(dimension, before, (penalty, floor), counts);
        }
    }

    /// Sets the dimension to 1 less a penalty for each issue from `before` on, at least the floor.
    fn penalize(
        &mut self,
        dimension: Index,
        before: usize,
        (penalty, floor): (Score, Score),
        counts: Counts,
    ) {
        self.mark_pre_existing(before);
        let free = std::mem::take(&mut self.free);
        let costs = |(at, issue): &(usize, &Issue)| {
            let next = free.partition_point(|free| free.end <= *at);
            is_counted(issue, counts) && free.get(next).is_none_or(|free| *at < free.start)
        };
        let counted = self.out.issues.iter().enumerate().skip(before).filter(costs).count();
        #[expect(clippy::cast_precision_loss, reason = "counts of issues are far below 2^52")]
        let score = Score::clamped((1.0 - penalty.get() * counted as f64).max(floor.get()));
        let blocking_only = counts == Counts::Blocking;
        self.score(dimension, score, |_, issues| {
            let those = issues.iter().enumerate().skip(before).filter(costs).map(|(at, _)| at);
            let losses = capped(penalty.get(), 1.0 - score.get(), those);
            let (penalty, floor) = (penalty.get(), floor.get());
            (MeasureKind::Rules { counted, penalty, floor, blocking_only }, losses)
        });
        self.free = free;
    }

    fn rule(&mut self, rule: &'a CompiledRule, memo: &RefCell<Memo<'a>>) {
        let (candidate, fields, fuel) = (self.candidate, self.fields, self.fuel);
        let scope = RuleScope { candidate, fields, value: candidate, at: &Pointer::ROOT, fuel, memo };
        match &rule.target {
            CompiledTarget::Candidate => self.apply(rule, true, &scope),
            CompiledTarget::Field { slot, name, .. } => {
                let value = fields.get(*slot).unwrap_or(Item::Null);
                let is_present = value.is_present();
                let at = Pointer::ROOT.child(Segment::Key(name));
                if is_present && self.lacks_value(rule, &RuleScope { value, at: &at, ..scope }) {
                    return;
                }
                let is_asked = if is_present {
                    !self.is_well(rule, value, Some(Segment::Key(name)))
                } else {
                    rule.asks_absent()
                };
                if is_asked {
                    self.apply(rule, is_present, &RuleScope { value, at: &at, ..scope });
                }
            }
            CompiledTarget::Each { path, slots } => {
                fields.select(candidate, path, slots, fuel, &mut |at, value| {
                    let is_present = value.is_present();
                    if is_present && self.lacks_value(rule, &RuleScope { value, at, ..scope }) {
                        return;
                    }
                    let is_asked =
                        if is_present { !self.is_well(rule, value, at.last()) } else { rule.asks_absent() };
                    if is_asked && !fuel.is_spent() {
                        self.apply(rule, is_present, &RuleScope { value, at, ..scope });
                    }
                });
            }
        }
    }

    /// Returns whether a rule that inspects nothing but its target holds: most rules do, for most values. The target is
    /// present.
    #[inline]
    fn is_well(&mut self, rule: &CompiledRule, value: Item<'_>, key: Option<Segment<'_>>) -> bool {
        if !rule.is_plain {
            return false;
        }
        let text = &mut self.room.text;
        match rule.when.as_ref().map_or(Some(true), |when| holds_plainly(when, value, key, text)) {
            None => false,
            Some(false) => true,
            Some(true) => {
                let mut holds =
                    |check: &Requirement| holds_plainly(&check.condition, value, key, text) == Some(true);
                rule.presence.iter().all(&mut holds) && rule.checks.iter().all(&mut holds)
            }
        }
    }

    /// Reports a required target that has nothing in it but placeholders; returns whether it is one.
    fn lacks_value(&mut self, rule: &'a CompiledRule, scope: &RuleScope<'a, '_>) -> bool {
        if self.placeholders.is_empty() || !rule.asks_absent() {
            return false;
        }
        if !self.placeholders.are_all_of(&scope.at.to_string(), scope.value) {
            return false;
        }
        let before = self.out.issues.len();
        self.apply(rule, false, &RuleScope { value: Item::Null, ..*scope });
        self.out.issues.len() > before
    }

    /// Applies a rule to one target. The first check that fails is its issue.
    fn apply(&mut self, rule: &'a CompiledRule, is_present: bool, scope: &RuleScope<'a, '_>) {
        if let Some(when) = &rule.when
            && !self.holds(when, scope)
        {
            return;
        }
        if let Some(check) = rule.presence.iter().find(|check| !self.holds(&check.condition, scope)) {
            return self.report(rule, check, scope);
        }
        if !is_present {
            return;
        }
        if let Some(check) = rule.checks.iter().find(|check| !self.holds(&check.condition, scope)) {
            return self.report(rule, check, scope);
        }
        if let Some(schema) = &rule.schema {
            let before = self.out.issues.len();
            let own;
            let value = match scope.value.tree() {
                Some(value) => value,
                None => {
                    own = scope.value.to_value();
                    &own
                }
            };
            self.validate(schema, value, &scope.at.to_string(), Some(&rule.issue));
            self.free_since(&rule.issue, before);
        }
        if let Some(function) = rule.script {
            self.find_by_script(&rule.issue, function, scope);
        }
    }

    fn report(&mut self, rule: &'a CompiledRule, check: &Requirement, scope: &RuleScope<'a, '_>) {
        let target = match &rule.target {
            CompiledTarget::Candidate => "".into(),
            CompiledTarget::Field { pointer, .. } => pointer.into(),
            CompiledTarget::Each { .. } => scope.at.text().into(),
        };
        let before = self.out.issues.len();
        // For an edit, every part that is to blame: earlier mistakes of the document must not hide new ones.
        let of_each = self.scoring.sets_old_apart();
        let found = check_issues(&rule.issue, check, &target, self.dispositions, scope, of_each);
        self.out.issues.extend(found);
        self.free_since(&rule.issue, before);
    }

    pub(super) fn holds(&mut self, condition: &Condition, scope: &RuleScope<'a, '_>) -> bool {
        match condition {
            Condition::Test { subject, test } => self.test(subject, test, scope),
            Condition::All(inner) => inner.iter().all(|inner| self.holds(inner, scope)),
            Condition::Any(inner) => inner.iter().any(|inner| self.holds(inner, scope)),
            Condition::Not(inner) => !self.holds(inner, scope),
        }
    }

    fn test(&mut self, subject: &Operand, test: &Test, scope: &RuleScope<'a, '_>) -> bool {
        let Buffers { text: room, of_source, .. } = &mut *self.room;
        match subject {
            Operand::Value => test.holds(scope.value, scope, room),
            Operand::Key => scope.key_holds(test, room),
            Operand::At(reference) => scope.any_holds(test, reference, room),
            Operand::Source => {
                let Some(text) = self.source.map(Source::text) else { return false };
                if let Some(said) = of_source.get(test) {
                    return said;
                }
                if !self.fuel.spend_on(text.len() / SOURCE_STEP) {
                    return false;
                }
                let said = test.holds(Item::Text(text), scope, room);
                of_source.keep(test, said);
                said
            }
        }
    }

    /// Notes that the issues from `before` on cost nothing, if their rule says so.
    fn free_since(&mut self, rule: &IssueText, before: usize) {
        if !rule.costs && before < self.out.issues.len() {
            self.free.push(before..self.out.issues.len());
        }
    }

    fn find_by_script(&mut self, text: &IssueText, function: FunctionId, scope: &RuleScope<'a, '_>) {
        let scripts = self.scripts;
        match scripts.findings(function, self.arguments()) {
            Ok(findings) => {
                let dispositions = self.dispositions;
                let issues =
                    findings.into_iter().map(|finding| script_issue(text, finding, dispositions, scope));
                let before = self.out.issues.len();
                self.out.issues.extend(issues);
                self.free_since(text, before);
            }
            Err(_) if self.fuel.is_spent() => {}
            Err(error) => self.script_failed(&error, Some(&text.rule)),
        }
    }
}

/// The result of a condition for a value that is present and for its name, if it is one test of one of them.
#[inline]
fn holds_plainly(
    condition: &Condition,
    value: Item<'_>,
    key: Option<Segment<'_>>,
    text: &mut String,
) -> Option<bool> {
    match (condition, key) {
        (Condition::Test { subject: Operand::Value, test }, _) => test.holds_alone(value, text),
        (Condition::Test { subject: Operand::Key, test }, Some(Segment::Key(key))) if !key.is_empty() => {
            test.holds_alone(Item::Text(key), text)
        }
        _ => None,
    }
}

/// Returns whether an issue of a set of rules takes its penalty off.
fn is_counted(issue: &Issue, counts: Counts) -> bool {
    let blocks = counts == Counts::All || issue.disposition != Disposition::Warn;
    blocks && issue.severity != Severity::Info
}
