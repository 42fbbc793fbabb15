//! The behaviour of a policy, as plain data: what passes, what is refused, which limits hold, in which order criteria
//! are checked, what is returned, what it takes at most.
//!
//! [`Facts::of`] works it all out once from the compiled [`Plan`]. Each [`Fact`] has a key that stays the same when its
//! values change, a kind, its values, and the positions of the settings from which it follows. Explaining renders a
//! template for each kind; comparing two profiles compares facts; lints are predicates on the same numbers.

mod calls;
mod candidate;
mod criteria;
mod deciding;
mod fact;
mod limits;
mod line_place;
mod measures;
mod network;
mod origin;
mod outlook;
mod panel;
mod people;
mod range;
mod reading;
mod rules;
mod scoring;
mod secrets;
mod stopping;
mod summary;

pub use fact::Facts;
pub use fact::{Ending, Fact};
pub use origin::{Origin, display_name};
pub use secrets::{HIDDEN, shown_value};

pub use calls::calls_of_document;
pub use calls::{Calls, Parts};
pub use criteria::{Placed, entry_of, placed};
pub use line_place::place_of_line;
pub(crate) use measures::declared_names;
pub(crate) use panel::number;
pub use range::{Range, range_of};
pub use secrets::without_passwords;

use crate::plan::Plan;
use crate::profile::Loaded;
use crate::provider::Prices;

/// A compiled profile and the prices of its models.
#[derive(Debug, Clone, Copy)]
pub struct ProfileView<'a> {
    /// The profile with its merged settings.
    pub loaded: &'a Loaded,
    /// The plan that was compiled from them.
    pub plan: &'a Plan,
    /// The prices of models.
    pub prices: &'a Prices,
}

impl Facts {
    /// Everything that a policy will do, in reading order.
    #[must_use]
    pub fn of(view: ProfileView<'_>) -> Self {
        let ProfileView { loaded, plan, prices } = view;
        let mut facts = Facts::new(plan.profile.name.clone(), &loaded.merged);
        reading::add(plan, &mut facts);
        candidate::add(plan, &mut facts);
        scoring::add(plan, &mut facts);
        deciding::acceptance(plan, &mut facts);
        stopping::add(plan, &mut facts);
        deciding::selection(plan, &mut facts);
        people::request(plan, &mut facts);
        people::review(plan, &mut facts);
        people::sections(plan, &mut facts);
        people::certify(plan, &mut facts);
        limits::add(plan, prices, &mut facts);
        network::add(plan, &mut facts);
        summary::add(plan, &mut facts);
        facts
    }
}
