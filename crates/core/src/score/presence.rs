//! Presence of values that rules ask for elsewhere in a candidate.

use super::evaluate::Scope;
use super::memo::{Asks, Known};
use crate::rules::Reference;
use crate::value::{Item, Pointer, Segment};

impl<'c> Scope<'c, '_> {
    /// Returns whether a reference selects a value that is present and no placeholder.
    pub(super) fn has_value(&self, reference: &Reference) -> bool {
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
    pub(super) fn has(&self, reference: &Reference) -> bool {
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
}
