//! Settings of a criterion with which it never decides, or always does, in every course of scores. The lints of a
//! policy report them.

/// The settings of a policy, and the scores that it can give, on which these doubts rest.
#[derive(Debug, Clone, Copy)]
pub struct Ground {
    /// `true` if candidates are rolled back at all.
    pub rolls_back: bool,
    /// `true` if a candidate whose overall score is below the best one's is rolled back.
    pub falls_roll_back: bool,
    /// `true` if only such candidates are, but for ties.
    pub only_falls_roll_back: bool,
    /// `true` if candidates with the same overall score may still rank differently.
    pub ties_may_roll_back: bool,
    /// The lowest and the highest overall score that is possible.
    pub overall: (f64, f64),
}

impl Ground {
    /// The greatest distance between two overall scores.
    pub(super) fn width(&self) -> f64 {
        self.overall.1 - self.overall.0
    }

    /// The overall scores that are possible, in words.
    pub(super) fn range(&self) -> String {
        format!("the overall score goes from {} to {}", decimal(self.overall.0), decimal(self.overall.1))
    }
}

/// A number as a person would write it, with four decimals at most.
pub(super) fn decimal(value: f64) -> String {
    crate::value::prose::decimals(value, 4)
}

/// A criterion that does not do what it says.
#[derive(Debug, Clone)]
pub struct Doubt {
    /// `true` if it ends every run, `false` if it can never end one.
    pub always: bool,
    /// The reason.
    pub why: String,
    /// A change that would let it decide.
    pub help: String,
}

impl Doubt {
    /// The doubt that a criterion can never hold.
    pub(super) fn never(why: impl Into<String>, help: impl Into<String>) -> Self {
        Doubt { always: false, why: why.into(), help: help.into() }
    }

    /// The doubt that a criterion holds whatever the scores are.
    pub(super) fn always(why: impl Into<String>, help: impl Into<String>) -> Self {
        Doubt { always: true, why: why.into(), help: help.into() }
    }
}

/// The effect of a criterion on another one, which it leaves nothing to decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overtakes {
    /// `true` if it holds at an earlier candidate in every course of scores; else at the same one at the latest.
    pub earlier: bool,
    /// A setting that makes it more patient than the other one.
    pub patient: Option<String>,
}

impl Overtakes {
    /// The effect of a criterion that holds at an earlier candidate, or, unless `earlier`, at the same one at the latest.
    pub(super) fn new(earlier: bool) -> Self {
        Overtakes { earlier, patient: None }
    }

    /// One that takes `own` steps, where the other criterion takes `others`.
    pub(super) fn steps<T: PartialOrd>(own: T, others: T) -> Option<Self> {
        (own <= others).then(|| Overtakes::new(own < others))
    }

    /// Adds the setting that makes it more patient.
    pub(super) fn unless(self, setting: impl Into<String>) -> Self {
        Overtakes { patient: Some(setting.into()), ..self }
    }
}
