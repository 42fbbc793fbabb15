//! The context of a rule while it runs: the candidate, the value that it inspects, and what is around that.

use super::checks::Test;
use super::field_slots::FieldSlots;
use super::memo::{Asks, Known, Memo};
use super::program::Index;
use super::reference::Reference;
use super::shown::Shown;
use crate::value::{Fuel, Item, JsonPath, PathStep, Pointer, Segment, push_segment};
use std::cell::RefCell;

/// The context of a rule while it runs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RuleScope<'c, 's> {
    /// The whole candidate.
    pub candidate: Item<'c>,
    /// Its top-level fields.
    pub fields: &'s FieldSlots<'c>,
    /// The value of the rule's target.
    pub value: Item<'c>,
    /// The path of that value.
    pub at: &'s Pointer<'s>,
    /// The steps that are left.
    pub fuel: &'s Fuel,
    /// The results that hold for all targets.
    pub memo: &'s RefCell<Memo<'c>>,
}

impl<'c> RuleScope<'c, '_> {
    /// Calls `visit` with each value that a path from the candidate selects; the fields that it begins with have these slots.
    pub(crate) fn select(
        &self,
        path: &JsonPath,
        slots: &[Index],
        visit: &mut dyn FnMut(&Pointer<'_>, Item<'c>),
    ) {
        self.fields.select(self.candidate, path, slots, self.fuel, visit);
    }

    /// Calls `visit` with each value that a reference selects.
    pub(crate) fn look(&self, reference: &Reference, visit: &mut dyn FnMut(Item<'c>)) {
        match reference {
            Reference::Field { name, slot } => {
                let field = match slot {
                    Some(slot) => self.fields.get(*slot),
                    None => self.candidate.member(name),
                };
                if let Some(value) = field {
                    visit(value);
                }
            }
            Reference::Root { path, slots } => self.select(path, slots, &mut |_, value| visit(value)),
            Reference::Target(path) => path.visit(self.value, self.fuel, &mut |_, value| visit(value)),
            Reference::Holder { up, path } => {
                if let Some(holder) = self.above(*up).and_then(|at| self.candidate.at(at)) {
                    path.visit(holder, self.fuel, &mut |_, value| visit(value));
                }
            }
            Reference::Before(path) => {
                if let Some(before) = self.before() {
                    path.visit(before, self.fuel, &mut |_, value| visit(value));
                }
            }
        }
    }

    /// The path of the target's holder, `up` levels above it.
    pub(crate) fn above(&self, up: usize) -> Option<&Pointer<'_>> {
        let mut at = self.at;
        for _ in 0..up {
            at = at.parent()?;
        }
        Some(at)
    }

    /// The element before the target in its list.
    fn before(&self) -> Option<Item<'c>> {
        let Some(Segment::Index(index)) = self.at.last() else { return None };
        self.candidate.at(self.at.parent()?)?.element(index.checked_sub(1)?)
    }

    /// The first value that a reference selects, as it is shown.
    pub(crate) fn first(&self, reference: &Reference) -> Option<Shown> {
        let mut first = None;
        self.look(reference, &mut |value| {
            if first.is_none() {
                first = Some(Shown::of(value));
            }
        });
        first
    }

    /// Returns whether the test holds for the target's key; `false` when it has none.
    pub(crate) fn key_holds(&self, test: &Test, text: &mut String) -> bool {
        match self.at.last() {
            Some(Segment::Key(key)) => test.holds(Item::Text(key), self, text),
            Some(Segment::Index(index)) => {
                test.holds(Item::Number(&serde_json::Number::from(index)), self, text)
            }
            None => false,
        }
    }

    /// Returns whether the test holds for one of the values that a reference selects.
    pub(crate) fn any_holds(&self, test: &Test, reference: &Reference, text: &mut String) -> bool {
        let mut holds = false;
        self.look(reference, &mut |value| holds = holds || test.holds(value, self, text));
        holds
    }

    /// Returns whether a reference selects a value that is present and no placeholder.
    pub(crate) fn has_value(&self, reference: &Reference) -> bool {
        let Some(placeholders) = self.memo.borrow().placeholders() else { return self.has(reference) };
        let mut found = false;
        let mut look = |base: &str, at: &Pointer<'_>, value: Item<'c>| {
            found |= value.is_present() && !placeholders.are_all_of(&format!("{base}{at}"), value);
        };
        match reference {
            Reference::Field { name, slot } => {
                let field = slot.map_or_else(|| self.candidate.member(name), |slot| self.fields.get(slot));
                if let Some(value) = field {
                    look("", &Pointer::ROOT.child(Segment::Key(name)), value);
                }
            }
            Reference::Root { path, slots } => self.select(path, slots, &mut |at, value| look("", at, value)),
            Reference::Target(path) => {
                let base = self.at.to_string();
                path.visit(self.value, self.fuel, &mut |at, value| look(&base, at, value));
            }
            Reference::Holder { up, path } => {
                if let Some((above, holder)) =
                    self.above(*up).and_then(|at| Some((at, self.candidate.at(at)?)))
                {
                    let base = above.to_string();
                    path.visit(holder, self.fuel, &mut |at, value| look(&base, at, value));
                }
            }
            Reference::Before(_) => return self.has(reference),
        }
        found
    }

    /// Returns whether a reference selects a value that is present.
    pub(crate) fn has(&self, reference: &Reference) -> bool {
        let look = || {
            let mut found = false;
            self.look(reference, &mut |value| found |= value.is_present());
            found
        };
        let Reference::Root { path, .. } = reference else { return look() };
        let key = (std::ptr::from_ref(path) as usize, Asks::Present);
        if let Some(Known::Present(known)) = self.memo.borrow_mut().get(key) {
            return *known;
        }
        let found = look();
        self.memo.borrow_mut().keep(key, Known::Present(found));
        found
    }

    /// The pointer to what a reference selects; that of the rule's target for a path that does not name one location.
    pub(crate) fn pointer_of(&self, reference: &Reference) -> String {
        let target = self.at.to_string();
        let (mut pointer, path) = match reference {
            Reference::Field { name, .. } => {
                let mut pointer = String::new();
                push_segment(&mut pointer, Segment::Key(name));
                return pointer;
            }
            Reference::Root { path, .. } => (String::new(), path),
            Reference::Target(path) => (target.clone(), path),
            Reference::Holder { up, path } => match self.above(*up) {
                Some(holder) => (holder.to_string(), path),
                None => return target,
            },
            // The element before another is not there to be corrected.
            Reference::Before(_) => return target,
        };
        if push_steps(&mut pointer, path).is_none() {
            return target;
        }
        pointer
    }

    /// The pointer to an element of the value, or to a member of that element.
    pub(crate) fn element(&self, index: usize, key: Option<&str>) -> String {
        let mut path = self.at.to_string();
        push_segment(&mut path, Segment::Index(index));
        if let Some(key) = key {
            push_segment(&mut path, Segment::Key(key));
        }
        path
    }
}

fn push_steps(pointer: &mut String, path: &JsonPath) -> Option<()> {
    for step in path.steps()? {
        match step {
            PathStep::Key(key) => push_segment(pointer, Segment::Key(key)),
            PathStep::Index(index) => push_segment(pointer, Segment::Index(usize::try_from(*index).ok()?)),
            PathStep::Keys(_) | PathStep::Wildcard => return None,
        }
    }
    Some(())
}
