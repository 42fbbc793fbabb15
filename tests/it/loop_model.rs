//! An independent reading of `docs/how-the-loop-decides.md`: policies as plain data, and their expected outcomes,
//! computed afresh and naively from the whole trajectory at every candidate. Shares nothing with `crates/core/src/policy`.

/// "Every comparison of scores allows 1e-9."
pub(crate) fn lt(a: f64, b: f64) -> bool {
    a < b - 1e-9
}

/// One invented candidate.
#[derive(Debug, Clone)]
pub(crate) struct Tried {
    /// Of the dimensions `q`, `a` and `b`; `None` where the assessment lacks it.
    pub(crate) scores: [Option<f64>; 3],
    pub(crate) critical: u64,
    pub(crate) escalate: u64,
    pub(crate) warn: u64,
    /// The candidate: two leaves, of which the second may be absent. Equal ones are equal candidates.
    pub(crate) content: (u8, Option<u8>),
    pub(crate) takes: u64,
    pub(crate) cents: u32,
    pub(crate) tokens: u64,
    pub(crate) calls: u64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Key {
    NoCritical,
    Overall,
    Dimension(usize),
    FewestEscalate,
    FewestMajor,
}

/// A criterion of `stop`, or a group of them.
#[derive(Debug, Clone)]
pub(crate) enum Criterion {
    MaxIterations(usize),
    MaxCorrections(usize),
    Unchanged,
    Rollbacks(usize),
    /// Window, epsilon.
    Stagnation(usize, f64),
    /// Delta, patience, whether the baseline is the best.
    MinImprovement(f64, usize, bool),
    Decline(usize),
    /// Window, flips, amplitude.
    Oscillation(usize, usize, f64),
    FlipFlop(usize),
    Script(Script),
    Timeout(u64),
    Cents(u32),
    Tokens(u64),
    Calls(u64),
    Any(Vec<Criterion>),
    All(Vec<Criterion>),
}

/// The functions of `super::loop_inventions::SCRIPT`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Script {
    Flat,
    Stuck,
    Dear,
    Torn,
    /// Fails whenever it is called.
    Broken,
}

/// A policy as the page speaks of it.
#[derive(Debug, Clone)]
pub(crate) struct Policy {
    pub(crate) weights: [f64; 3],
    pub(crate) accept_overall: Option<f64>,
    pub(crate) accept_a: Option<f64>,
    pub(crate) accept_critical: Option<u64>,
    /// Bound on `b`, and whether a correction that misses it stops the loop.
    pub(crate) gate: Option<(f64, bool)>,
    pub(crate) stop_on_escalate: bool,
    pub(crate) rollback: bool,
    pub(crate) max_iterations: Option<usize>,
    pub(crate) max_corrections: Option<usize>,
    pub(crate) unchanged: bool,
    pub(crate) rollbacks: Option<usize>,
    pub(crate) stagnation: Option<(usize, f64)>,
    /// Delta, patience, whether the baseline is the best.
    pub(crate) min_improvement: Option<(f64, usize, bool)>,
    pub(crate) decline: Option<usize>,
    pub(crate) oscillation: Option<(usize, usize, f64)>,
    pub(crate) flip_flop: Option<usize>,
    pub(crate) scripts: Vec<Script>,
    pub(crate) timeout: Option<u64>,
    pub(crate) cents: Option<u32>,
    pub(crate) tokens: Option<u64>,
    pub(crate) calls: Option<u64>,
    pub(crate) any: Vec<Criterion>,
    pub(crate) all: Vec<Criterion>,
    pub(crate) order: Vec<Key>,
    pub(crate) ties_last: bool,
    pub(crate) return_last: bool,
}

/// The outcome of a trajectory, according to the page.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Expected {
    pub(crate) status: &'static str,
    pub(crate) reason: String,
    pub(crate) iteration_count: usize,
    pub(crate) best_iteration: usize,
    pub(crate) selection_reason: String,
    pub(crate) rollbacks: u64,
    /// The base of each correction.
    pub(crate) bases: Vec<usize>,
}

/// A line of the table that applies.
struct Applies {
    status: &'static str,
    reason: String,
    /// `true` if it is above the line at which rollbacks are counted.
    uncounted: bool,
}

impl Criterion {
    /// Its reason in results.
    pub(crate) fn name(&self) -> String {
        let word = match self {
            Criterion::MaxIterations(_) | Criterion::MaxCorrections(_) => "max_iterations",
            Criterion::Unchanged => "unchanged",
            Criterion::Rollbacks(_) => "rollbacks",
            Criterion::Stagnation(..) => "stagnation",
            Criterion::MinImprovement(..) => "min_improvement",
            Criterion::Decline(_) => "decline",
            Criterion::Oscillation(..) => "oscillation",
            Criterion::FlipFlop(_) => "flip_flop",
            Criterion::Script(script) => return format!("script:{}", script.name()),
            Criterion::Timeout(_) => "timeout",
            Criterion::Cents(_) | Criterion::Tokens(_) | Criterion::Calls(_) => "budget",
            Criterion::Any(_) | Criterion::All(_) => panic!("a group goes by its members' names"),
        };
        word.to_owned()
    }
}

impl Policy {
    /// The criteria that are no groups, in the order of the table.
    pub(crate) fn plain(&self) -> Vec<Criterion> {
        let lines = [
            self.max_iterations.map(Criterion::MaxIterations),
            self.max_corrections.map(Criterion::MaxCorrections),
            self.unchanged.then_some(Criterion::Unchanged),
            self.rollbacks.map(Criterion::Rollbacks),
            self.stagnation.map(|(window, epsilon)| Criterion::Stagnation(window, epsilon)),
            self.min_improvement.map(|(delta, times, best)| Criterion::MinImprovement(delta, times, best)),
            self.decline.map(Criterion::Decline),
            self.oscillation.map(|(window, flips, least)| Criterion::Oscillation(window, flips, least)),
            self.flip_flop.map(Criterion::FlipFlop),
        ];
        let spending = [
            self.timeout.map(Criterion::Timeout),
            self.cents.map(Criterion::Cents),
            self.tokens.map(Criterion::Tokens),
            self.calls.map(Criterion::Calls),
        ];
        let scripts = self.scripts.iter().copied().map(Criterion::Script);
        lines.into_iter().flatten().chain(scripts).chain(spending.into_iter().flatten()).collect()
    }

    pub(crate) fn overall(&self, tried: &Tried) -> f64 {
        (0..3).map(|at| self.weights[at] * tried.scores[at].unwrap_or(0.0)).sum()
    }

    pub(crate) fn misses_gate(&self, tried: &Tried) -> bool {
        self.gate.is_some_and(|(bound, _)| lt(tried.scores[2].unwrap_or(0.0), bound))
    }

    /// "Gate not missed and every line of `accept` holds."
    pub(crate) fn accepts(&self, tried: &Tried) -> bool {
        !self.misses_gate(tried)
            && self.accept_overall.is_none_or(|bound| !lt(self.overall(tried), bound))
            && self.accept_a.is_none_or(|bound| !lt(tried.scores[1].unwrap_or(0.0), bound))
            && self.accept_critical.is_none_or(|limit| tried.critical <= limit)
    }

    /// Returns whether `x` ranks strictly below `y`.
    pub(crate) fn ranks_below(&self, x: &Tried, y: &Tried) -> bool {
        // "A candidate that missed the gate ranks below every candidate that did not, whatever the keys say."
        if self.misses_gate(x) != self.misses_gate(y) {
            return self.misses_gate(x);
        }
        let flag = |yes: bool| if yes { 1.0 } else { 0.0 };
        let value = |key: Key, tried: &Tried| match key {
            Key::NoCritical => flag(tried.critical == 0),
            Key::Overall => self.overall(tried),
            Key::Dimension(at) => tried.scores[at].unwrap_or(0.0),
            Key::FewestEscalate => -(tried.escalate as f64),
            // What `step` makes of a candidate's issues: those that escalate and those that warn are major.
            Key::FewestMajor => -((tried.escalate + tried.warn) as f64),
        };
        for key in &self.order {
            let (a, b) = (value(*key, x), value(*key, y));
            if lt(a, b) || lt(b, a) {
                return lt(a, b);
            }
        }
        false
    }

    /// The top one of these candidates.
    pub(crate) fn best(&self, tried: &[Tried]) -> usize {
        let mut best = 0;
        for (at, one) in tried.iter().enumerate().skip(1) {
            let tie = !self.ranks_below(one, &tried[best]) && !self.ranks_below(&tried[best], one);
            if self.ranks_below(&tried[best], one) || (tie && self.ties_last) {
                best = at;
            }
        }
        best
    }

    /// Returns whether the last of these candidates is a rollback, if the loop gets as far as counting it.
    fn is_rollback(&self, tried: &[Tried]) -> bool {
        let (latest, before) = tried.split_last().unwrap();
        self.rollback
            && (self.misses_gate(latest)
                || (!before.is_empty() && self.ranks_below(latest, &before[self.best(before)])))
    }

    /// Names the members that make a criterion or group apply after these candidates.
    fn fired(&self, criterion: &Criterion, tried: &[Tried]) -> Option<String> {
        match criterion {
            Criterion::Any(members) => members.iter().find_map(|member| self.fired(member, tried)),
            Criterion::All(members) => {
                let names: Option<Vec<String>> =
                    members.iter().map(|member| self.fired(member, tried)).collect();
                names.map(|names| names.join("+"))
            }
            plain => self.applies(plain, tried).then(|| plain.name()),
        }
    }

    fn applies(&self, criterion: &Criterion, tried: &[Tried]) -> bool {
        let (latest, before) = tried.split_last().unwrap();
        let count = tried.len();
        let overalls: Vec<f64> = tried.iter().map(|one| self.overall(one)).collect();
        match *criterion {
            Criterion::MaxIterations(most) => count >= most,
            Criterion::MaxCorrections(most) => count > most,
            Criterion::Unchanged => before.iter().any(|one| one.content == latest.content),
            Criterion::Rollbacks(most) => {
                (1..=count).rev().take_while(|upto| self.is_rollback(&tried[..*upto])).count() >= most
            }
            Criterion::Stagnation(window, epsilon) => {
                let mut last = overalls[count.saturating_sub(window)..].to_vec();
                last.sort_by(f64::total_cmp);
                last.len() == window && lt(last[window - 1] - last[0], epsilon)
            }
            Criterion::MinImprovement(delta, patience, best) => {
                let missed = |at: usize| {
                    let highest = overalls[..at].iter().copied().fold(f64::MIN, f64::max);
                    lt(overalls[at] - if best { highest } else { overalls[at - 1] }, delta)
                };
                count > patience && (count - patience..count).all(missed)
            }
            Criterion::Decline(length) => {
                count >= length && (count - length + 1..count).all(|at| lt(overalls[at], overalls[at - 1]))
            }
            Criterion::Oscillation(window, flips, amplitude) => {
                let from = count.saturating_sub(window);
                let sign = |at: usize| {
                    let difference = overalls[at] - overalls[at - 1];
                    if lt(difference.abs(), amplitude) || !lt(0.0, difference.abs()) {
                        0
                    } else if difference > 0.0 {
                        1
                    } else {
                        -1
                    }
                };
                (from + 2..count).filter(|at| sign(*at) * sign(*at - 1) == -1).count() >= flips
            }
            Criterion::FlipFlop(times) => {
                let course = |leaf: fn(&Tried) -> Option<u8>| {
                    let mut values: Vec<Option<u8>> = tried.iter().map(leaf).collect();
                    values.dedup();
                    // There and back `times` times: 2 × `times` + 1 values, of which every second one is the same.
                    values
                        .windows(2 * times + 1)
                        .any(|part| part.iter().zip(part.iter().skip(2)).all(|(a, b)| a == b))
                };
                course(|one| Some(one.content.0)) || course(|one| one.content.1)
            }
            Criterion::Script(script) => self.script(script, tried),
            Criterion::Timeout(most) => tried.iter().map(|one| one.takes).sum::<u64>() > most,
            Criterion::Cents(most) => tried.iter().map(|one| one.cents).sum::<u32>() >= most,
            Criterion::Tokens(most) => tried.iter().map(|one| one.tokens).sum::<u64>() >= most,
            Criterion::Calls(most) => tried.iter().map(|one| one.calls).sum::<u64>() >= most,
            Criterion::Any(_) | Criterion::All(_) => self.fired(criterion, tried).is_some(),
        }
    }

    /// The results of the functions of `SCRIPT`.
    fn script(&self, script: Script, tried: &[Tried]) -> bool {
        let (latest, count) = (tried.last().unwrap(), tried.len());
        let sum = |of: fn(&Tried) -> u64| tried.iter().map(of).sum::<u64>();
        match script {
            Script::Flat => count >= 3 && self.overall(latest) < self.overall(&tried[count - 3]) + 0.003,
            Script::Stuck => self.is_rollback(tried) && self.best(tried) == 0,
            Script::Dear => {
                let rollbacks = (1..=count).filter(|upto| self.is_rollback(&tried[..*upto])).count();
                (sum(|one| one.tokens) >= 400 && sum(|one| one.takes) >= 500)
                    || (sum(|one| one.calls) >= 7 && sum(|one| one.cents.into()) > 30)
                    || rollbacks >= 3
            }
            Script::Torn => {
                latest.critical == 0
                    && latest.warn >= 1
                    && !self.misses_gate(latest)
                    && latest.scores[1].is_some_and(|a| a < 0.43)
            }
            Script::Broken => false,
        }
    }

    /// The line of the table that ends the loop after these candidates.
    fn line(&self, tried: &[Tried]) -> Option<Applies> {
        let latest = tried.last().unwrap();
        let over = |status: &'static str, reason: &str, uncounted: bool| {
            Some(Applies { status, reason: reason.to_owned(), uncounted })
        };
        if self.stop_on_escalate && latest.escalate > 0 {
            return over("failed", "critical_issue", true);
        }
        if self.misses_gate(latest) && (tried.len() == 1 || self.gate.unwrap().1) {
            return over("failed", "gate", true);
        }
        if self.accepts(latest) {
            return over("passed", "accepted", true);
        }
        if let Some(plain) = self.plain().iter().find(|criterion| self.applies(criterion, tried)) {
            return match plain {
                Criterion::MaxIterations(_) | Criterion::MaxCorrections(_) => {
                    over("max_iterations_reached", "max_iterations", true)
                }
                Criterion::Unchanged => over("stopped_early", "unchanged", true),
                other => over("stopped_early", &other.name(), false),
            };
        }
        // "Groups are looked at after these lines": `any`, then `all`.
        let any = self.fired(&Criterion::Any(self.any.clone()), tried);
        let all = || {
            let configured = !self.all.is_empty();
            configured.then(|| self.fired(&Criterion::All(self.all.clone()), tried)).flatten()
        };
        any.or_else(all).and_then(|names| over("stopped_early", &names, false))
    }

    /// The outcome of a trajectory.
    pub(crate) fn expected(&self, tried: &[Tried]) -> Expected {
        let (mut bases, mut rollbacks) = (Vec::new(), 0);
        for count in 1..=tried.len() {
            let seen = &tried[..count];
            let line = self.line(seen);
            let uncounted = line.as_ref().is_some_and(|line| line.uncounted);
            let rolled_back = !uncounted && self.is_rollback(seen);
            rollbacks += u64::from(rolled_back);
            if let Some(Applies { status, reason, .. }) = line {
                return self.ended(seen, status, reason, rollbacks, bases);
            }
            bases.push(if rolled_back { self.best(&seen[..count - 1]) } else { count - 1 });
        }
        self.ended(tried, "incomplete", "trajectory_exhausted".to_owned(), rollbacks, bases)
    }

    fn ended(
        &self,
        seen: &[Tried],
        status: &'static str,
        reason: String,
        rollbacks: u64,
        bases: Vec<usize>,
    ) -> Expected {
        let last = seen.len() - 1;
        let best_iteration = if reason == "accepted" || self.return_last { last } else { self.best(seen) };
        let selection_reason = match best_iteration {
            _ if last == 0 => "only_iteration".to_owned(),
            _ if best_iteration == last => "final_iteration_best".to_owned(),
            _ => format!("quality_peaked_at_iteration_{best_iteration}"),
        };
        let iteration_count = seen.len();
        Expected { status, reason, iteration_count, best_iteration, selection_reason, rollbacks, bases }
    }
}
