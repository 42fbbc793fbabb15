//! The checks of the rule language. A file here defines each check of one kind: how it is written, what it inspects,
//! when it holds and what it blames. This file lists them.

mod chain;
mod check;
mod comparison;
mod dates;
mod elements;
mod format;
mod formats;
mod kind;
mod length;
mod pattern;
mod presence;
mod quantity;
mod range;
mod resolves;
mod sum;
mod values;

pub(crate) use check::Blame;
pub use formats::parse_date;
pub(super) use pattern::{pattern, pattern_advice};

use super::keys::{ALL, ANY, NOT};
use super::placing::Placing;
use super::reference::Reference;
use super::rule_scope::RuleScope;
use crate::value::Item;
use crate::value::shape::Key;
use check::{AsksAbsent, Check, Definition};
use std::fmt;

/// Declares the list of checks, and that of their keys.
macro_rules! checks {
    ($($definition:path,)+) => {
        /// Every check, in the order in which they are asked.
        pub const CHECKS: &[Definition] = &[$($definition,)+];

        /// The keys of the checks, and those that join conditions.
        pub(super) static KEYS: [Key; CHECKS.len() + 3] = [$($definition.key,)+ ALL, ANY, NOT];
    };
}

checks! {
    presence::REQUIRED,
    presence::REQUIRE,
    presence::REQUIRES,
    presence::FORBIDS,
    kind::TYPE,
    pattern::MATCHES,
    values::ONE_OF,
    range::RANGE,
    length::LENGTH,
    format::FORMAT,
    pattern::UNIT,
    quantity::QUANTITY,
    elements::UNIQUE,
    elements::UNIFORM,
    comparison::SAME_AS,
    comparison::AT_MOST,
    comparison::AT_LEAST,
    values::EQUALS,
    values::CONTAINS,
    dates::BEFORE,
    dates::AFTER,
    sum::SUM_TO,
    resolves::RESOLVES,
}

/// Declares the checks that a test may be, and passes on to them what is asked of a test.
macro_rules! tests {
    ($($name:ident($check:ty),)+) => {
        /// A check with its value.
        #[derive(Debug, Clone)]
        pub enum Test {
            $(
                #[doc = concat!("See [`", stringify!($name), "`].")]
                $name($check),
            )+
        }

        impl Test {
            fn asks_of_absent(&self) -> AsksAbsent {
                match self { $(Test::$name(check) => check.asks_absent(),)+ }
            }

            /// Returns whether it inspects what is in a list or mapping, and not only its length.
            pub(super) fn looks_inside(&self) -> bool {
                match self { $(Test::$name(check) => check.looks_inside(),)+ }
            }

            /// The locations besides its value that it inspects.
            pub(super) fn references(&self) -> &[Reference] {
                match self { $(Test::$name(check) => check.references(),)+ }
            }

            /// Finds the slots of what it inspects besides its value.
            pub(super) fn place(&mut self, placing: &mut Placing<'_>) {
                match self { $(Test::$name(check) => check.place(placing),)+ }
            }

            #[inline]
            fn answer(&self, item: Item<'_>, scope: Option<&RuleScope<'_, '_>>, room: &mut String) -> Option<bool> {
                match self { $(Test::$name(check) => check.holds(item, scope, room),)+ }
            }

            /// The exact parts that made it fail for the value of a scope; none when that value as a whole is to blame.
            pub(crate) fn blame(&self, scope: &RuleScope<'_, '_>) -> Vec<Blame> {
                match self { $(Test::$name(check) => check.blame(scope),)+ }
            }
        }

        impl fmt::Display for Test {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self { $(Test::$name(check) => check.fmt(f),)+ }
            }
        }
    };
}

tests! {
    Present(presence::Present),
    Others(presence::Others),
    OfType(kind::OfType),
    Matches(pattern::Matches),
    OneOf(values::OneOf),
    Range(range::Range),
    Length(length::Length),
    Format(format::Format),
    FormatNamed(format::FormatNamed),
    Quantity(Box<quantity::Quantity>),
    Unique(elements::Unique),
    Distinct(elements::Distinct),
    Uniform(elements::Uniform),
    SameAs(comparison::SameAs),
    Bounded(comparison::Bounded),
    Equals(values::Equals),
    Contains(values::Contains),
    Dated(dates::Dated),
    SumTo(sum::SumTo),
    Resolves(resolves::Resolves),
    Chain(Box<chain::Chain>),
}

impl Test {
    /// Returns whether an absent value can fail it, so that rules ask it of absent values, too.
    pub(super) fn asks_absent(&self) -> bool {
        self.asks_of_absent() == AsksAbsent::Always
    }

    /// Returns whether it holds for a value that is present; `None` if it inspects something else.
    #[inline]
    pub(crate) fn holds_alone(&self, item: Item<'_>, room: &mut String) -> Option<bool> {
        self.answer(item, None, room)
    }

    /// Returns whether it holds for a value. `room` is for writing numbers in.
    pub(crate) fn holds(&self, item: Item<'_>, scope: &RuleScope<'_, '_>, room: &mut String) -> bool {
        let is_asked = item.is_present() || self.asks_of_absent() != AsksAbsent::Never;
        is_asked && self.answer(item, Some(scope), room).unwrap_or(false)
    }
}
