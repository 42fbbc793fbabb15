//! Checked rules to operations.

use super::condition::{Condition, Operand};
use super::program::{Address, Check, Index, Op, OpSubject, Program, RulePath};
use super::rule::{Rule, Target};
use super::test::Test;

/// Appends operations to a program and fills in jumps once their goal is known.
pub(super) struct Emitter<'p> {
    pub program: &'p mut Program,
}

/// An operation whose jump is filled in later.
pub(super) struct Pending(usize);

/// Positions in tables and addresses; programs are built from files of at most some thousand rules.
fn position(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

/// Appends to a table and says where.
pub(super) fn add<T>(table: &mut Vec<T>, entry: T) -> Index {
    table.push(entry);
    position(table.len() - 1)
}

impl Emitter<'_> {
    /// The address of the next operation.
    fn here(&self) -> Address {
        position(self.program.ops.len())
    }

    pub(super) fn push(&mut self, op: Op) {
        self.program.ops.push(op);
    }

    /// Appends a jump whose goal is not known yet.
    pub(super) fn pending(&mut self, op: Op) -> Pending {
        self.push(op);
        Pending(self.program.ops.len() - 1)
    }

    /// Lets a jump go to the next operation.
    pub(super) fn land(&mut self, Pending(at): Pending) {
        let here = self.here();
        if let Some(
            Op::Given { to, .. }
            | Op::Field { end: to, .. }
            | Op::Each { end: to, .. }
            | Op::IfTrue(to)
            | Op::IfFalse(to)
            | Op::IfAbsent(to)
            | Op::Jump(to),
        ) = self.program.ops.get_mut(at)
        {
            *to = here;
        }
    }

    /// Appends one rule.
    pub(super) fn rule(&mut self, rule: &Rule) {
        let mut leave = Vec::new();
        match &rule.target {
            Target::Candidate => {}
            Target::Field(name) => {
                let slot = self.program.slots.add(name);
                leave.push(self.pending(Op::Field { slot, end: 0 }));
            }
            Target::Each(path) => {
                let slot = path.first_key().map(|name| self.program.slots.add(name));
                let path = add(&mut self.program.paths, RulePath { path: path.clone(), slot });
                leave.push(self.pending(Op::Each { path, end: 0 }));
            }
        }
        let issue = add(&mut self.program.issues, rule.issue.clone());
        if let Some(when) = &rule.when {
            self.condition(when);
            leave.push(self.pending(Op::IfFalse(0)));
        }
        let (presence, others): (Vec<_>, Vec<_>) =
            rule.checks.iter().partition(|check| check.asks_presence());
        for check in presence {
            leave.push(self.check(check, issue));
        }
        if !matches!(rule.target, Target::Candidate) {
            leave.push(self.pending(Op::IfAbsent(0)));
        }
        for check in others {
            leave.push(self.check(check, issue));
        }
        if let Some(check) = &rule.schema {
            let schema = add(&mut self.program.schemas, check.clone());
            self.push(Op::Conform { issue, schema });
        }
        if let Some(function) = rule.script {
            self.push(Op::Script { issue, function });
        }
        for pending in leave {
            self.land(pending);
        }
    }

    /// A check, its report, and the jump out of the rule after that report: one issue for each violated element.
    fn check(&mut self, condition: &Condition, issue: Index) -> Pending {
        self.condition(condition);
        let passed = self.pending(Op::IfTrue(0));
        let blames = match condition {
            Condition::Test {
                subject: Operand::Value,
                test:
                    test @ (Test::Require(_)
                    | Test::RequireWith(_)
                    | Test::Forbid(_)
                    | Test::FormatNamedAt(_)
                    | Test::Unique { .. }
                    | Test::Distinct(_)
                    | Test::Uniform { .. }
                    | Test::SameAs(_)
                    | Test::AtMost(_)
                    | Test::AtLeast(_)
                    | Test::PathResolves(_)),
            } => Some(add(&mut self.program.tests, test.clone())),
            _ => None,
        };
        let is_presence = matches!(condition, Condition::Test { test: Test::Present, .. });
        let check = Check { expected: condition.expectation(), blames, is_presence };
        let check = add(&mut self.program.checks, check);
        self.push(Op::Report { issue, check });
        let out = self.pending(Op::Jump(0));
        self.land(passed);
        out
    }

    /// Leaves the flag set if the condition holds.
    fn condition(&mut self, condition: &Condition) {
        match condition {
            Condition::Test { subject, test } => {
                let subject = match subject {
                    Operand::Value => OpSubject::Value,
                    Operand::Key => OpSubject::Key,
                    Operand::Source => OpSubject::Source,
                    Operand::At(reference) => {
                        OpSubject::At(add(&mut self.program.references, reference.clone()))
                    }
                };
                let test = add(&mut self.program.tests, test.clone());
                self.push(Op::Test { subject, test });
            }
            Condition::Not(inner) => {
                self.condition(inner);
                self.push(Op::Not);
            }
            Condition::All(inner) => self.chain(inner, Op::IfFalse),
            Condition::Any(inner) => self.chain(inner, Op::IfTrue),
        }
    }

    /// Conditions one after the other, left early by `leave`.
    fn chain(&mut self, inner: &[Condition], leave: fn(Address) -> Op) {
        let mut pending = Vec::new();
        for (i, condition) in inner.iter().enumerate() {
            if i > 0 {
                pending.push(self.pending(leave(0)));
            }
            self.condition(condition);
        }
        for jump in pending {
            self.land(jump);
        }
    }
}
