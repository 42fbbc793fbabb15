//! Checks of presence: `required`, `require`, `requires` and `forbids`.

use super::Test;
use super::check::{AsksAbsent, Blame, Check, Definition};
use crate::rules::placing::Placing;
use crate::rules::reference::{Reference, places, references};
use crate::rules::rule_scope::RuleScope;
use crate::value::Item;
use crate::value::decode::Decode;
use crate::value::shape::Key;
#[cfg(test)]
use serde_json::json;
use std::fmt;

pub(super) const REQUIRED: Definition = Definition {
    key: Key::new(
        "required",
        bool::shape,
        "`true`: the value must be present. Missing, `null`, `''`, `[]` and `{}` are absent.",
    )
    .examples(&["true"]),
    read: |node, problems| bool::decode(node, problems)?.then_some(Test::Present(Present)),
    named: |_| None,
    #[cfg(test)]
    cases: || {
        vec![(
            "required: true",
            json!(["a", 0, false, [null, 0], "-"]),
            json!([null, "", [], {}, [null], " ", "\u{a0}\n", {"a": [" "]}]),
        )]
    },
};

pub(super) const REQUIRE: Definition = Definition {
    key: Key::new("require", places, "These must be present, whether or not the target is.")
        .examples(&["grade", "[grade, margins]"]),
    read: |node, problems| {
        references(node, problems).map(|all| Test::Others(Others { demand: Demand::Always, all }))
    },
    named: |value| Some(value),
    #[cfg(test)]
    cases: || {
        vec![
            ("require: other", json!(["a", null]), json!([])),
            ("require: nowhere", json!([]), json!(["a", null])),
            ("require: '@.n'", json!([{"n": 1}]), json!([{"m": 1}, "n"])),
        ]
    },
};

pub(super) const REQUIRES: Definition = Definition {
    key: Key::new("requires", places, "If the target is present, these must be, too.")
        .examples(&["msiStatus"]),
    read: |node, problems| {
        references(node, problems).map(|all| Test::Others(Others { demand: Demand::WithTarget, all }))
    },
    named: |value| Some(value),
    #[cfg(test)]
    cases: || {
        vec![
            ("requires: [other, '$.ids[0].id']", json!(["a"]), json!([])),
            ("requires: nowhere", json!([null, ""]), json!(["a"])),
        ]
    },
};

pub(super) const FORBIDS: Definition = Definition {
    key: Key::new("forbids", places, "If the target is present, none of these may be.")
        .examples(&["'@.negated'"]),
    read: |node, problems| {
        references(node, problems).map(|all| Test::Others(Others { demand: Demand::Absence, all }))
    },
    named: |value| Some(value),
    #[cfg(test)]
    cases: || {
        vec![
            ("forbids: nowhere", json!(["a"]), json!([])),
            ("forbids: [nowhere, other]", json!([null]), json!(["a"])),
        ]
    },
};

/// The value is present (see [`crate::value::is_present`]).
#[derive(Debug, Clone)]
pub struct Present;

impl fmt::Display for Present {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }
}

impl Check for Present {
    fn asks_absent(&self) -> AsksAbsent {
        AsksAbsent::Always
    }

    fn looks_inside(&self) -> bool {
        // Of what must be present every text may be a placeholder.
        true
    }

    fn references(&self) -> &[Reference] {
        &[]
    }

    fn place(&mut self, _placing: &mut Placing<'_>) {}

    fn holds(&self, item: Item<'_>, _scope: Option<&RuleScope<'_, '_>>, _room: &mut String) -> Option<bool> {
        Some(item.is_present())
    }

    fn blame(&self, _scope: &RuleScope<'_, '_>) -> Vec<Blame> {
        Vec::new()
    }
}

/// All of some other locations are present, or none of them is.
#[derive(Debug, Clone)]
pub struct Others {
    demand: Demand,
    all: Vec<Reference>,
}

/// The demand on other locations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Demand {
    /// All are present, whether or not the value itself is.
    Always,
    /// All are present; not asked when the value itself is absent.
    WithTarget,
    /// None is present; not asked when the value itself is absent.
    Absence,
}

impl Others {
    /// The locations that must be present.
    pub(in crate::rules) fn required(&self) -> &[Reference] {
        match self.demand {
            Demand::Always | Demand::WithTarget => &self.all,
            Demand::Absence => &[],
        }
    }
}

impl fmt::Display for Others {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, reference) in self.all.iter().enumerate() {
            write!(f, "{}`{reference}`", if i > 0 { ", " } else { "" })?;
        }
        f.write_str(if self.demand == Demand::Absence { " not to be given" } else { " to be given" })
    }
}

impl Check for Others {
    fn asks_absent(&self) -> AsksAbsent {
        match self.demand {
            Demand::Always => AsksAbsent::Always,
            Demand::WithTarget | Demand::Absence => AsksAbsent::InConditions,
        }
    }

    fn looks_inside(&self) -> bool {
        false
    }

    fn references(&self) -> &[Reference] {
        &self.all
    }

    fn place(&mut self, placing: &mut Placing<'_>) {
        let whole = self.demand != Demand::Absence;
        self.all.iter_mut().for_each(|one| placing.reference(one, whole));
    }

    fn holds(&self, _item: Item<'_>, scope: Option<&RuleScope<'_, '_>>, _room: &mut String) -> Option<bool> {
        let scope = scope?;
        Some(match self.demand {
            Demand::Always | Demand::WithTarget => self.all.iter().all(|one| scope.has_value(one)),
            Demand::Absence => !self.all.iter().any(|one| scope.has(one)),
        })
    }

    fn blame(&self, scope: &RuleScope<'_, '_>) -> Vec<Blame> {
        let is_absence = self.demand == Demand::Absence;
        let wrong = self.all.iter().filter(|one| scope.has(one) == is_absence);
        let how = if is_absence { "must not be given here" } else { "is missing" };
        wrong.map(|one| Blame { path: scope.pointer_of(one), message: format!("`{one}` {how}") }).collect()
    }
}
