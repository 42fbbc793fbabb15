//! `budget`: the most that may be spent.

use super::rule::{
    Constant, Constants, Declared, Looked, Memory, Part, Progress, Properties, Rule, Seen, number,
};
use super::{Criterion, Doubt, EndingLine, Ground, Overtakes};
use crate::diag::{Code, Problem, Problems};
use crate::mapping;
use crate::value::decode::Decode;
use crate::value::prose::{count, dollars, list};
use crate::value::shape::Key;
use crate::value::yaml::Node;
use crate::value::{Usd, at_least};
use smallvec::smallvec;

mapping! {
    /// The most that may be spent, judges included.
    "budget" is "budget", expects "`{ cost_usd: 0.10, tokens: 100000, calls: 10 }`";
    #[derive(Debug, Clone, Copy, Default, PartialEq)]
    pub struct Budget {
        /// US dollars, as reported by providers or computed from `prices.yaml`.
        #[key(examples(&["0.10"]))]
        pub cost_usd: Option<Usd>,
        /// Tokens, read and written.
        #[key(count, examples(&["100000"]))]
        pub tokens: Option<u64>,
        /// Calls to providers.
        #[key(count, examples(&["10"]))]
        pub calls: Option<u64>,
    }
}

/// The note where a budget of money is evaluated and not all that was spent is known. Always in the same words, so that
/// it is shown once.
pub const UNKNOWN_COST: &str = "the budget `cost_usd` can't be kept, because the cost of some calls is unknown: only what is \
     known counts; add prices to `prices.yaml`, or limit `tokens` or `calls`";

impl Declared for Budget {
    const KEY: Key = Key::new("budget", Budget::shape, "Stops when so much has been spent on the document.")
        .examples(&["{ cost_usd: 0.10, tokens: 100000, calls: 10 }"]);

    const BOUNDS_CALLS: bool = true;

    fn ended(line: &EndingLine<'_>) -> String {
        let ((_, part), (plural, were)) = (line.key_and_part(), line.number_words());
        let EndingLine { line, value_text, bound_text, .. } = line;
        match part.strip_suffix('s') {
            Some(unit) => {
                format!("{value_text} {unit}{plural} {were} used, and `{line}` allows {bound_text}")
            }
            None => format!("${value_text} were spent, and `{line}` allows ${bound_text}"),
        }
    }

    fn read(node: &Node, problems: &mut Problems) -> Vec<Self> {
        Self::decode(node, problems).into_iter().filter(|budget| *budget != Self::default()).collect()
    }

    fn read_in_group(node: &Node, problems: &mut Problems) -> Option<Self> {
        let budget = Self::decode(node, problems)?;
        if budget == Self::default() {
            let problem = Problem::error(Code::Empty, &node.span, "this budget has no limit");
            problems.push(problem.help("set `cost_usd`, `tokens` or `calls`"));
        }
        Some(budget)
    }
}

impl Budget {
    /// The amounts that may be used up, as a list that ends with `last` and its last member.
    #[must_use]
    pub fn words(&self, last: &str) -> String {
        let money = self.cost_usd.map(|amount| format!("{} or more", dollars(amount)));
        let tokens = self.tokens.map(|tokens| format!("{} or more", count(tokens, "token")));
        let calls = self.calls.map(|calls| format!("{} or more", count(calls, "call")));
        let said: Vec<String> = [money, tokens, calls].into_iter().flatten().collect();
        list(&said, last)
    }

    /// The limits that are set.
    fn constants(&self) -> Constants {
        let money = self.cost_usd.map(Constant::Cost);
        let tokens = self.tokens.map(Constant::Tokens);
        let calls = self.calls.map(Constant::Calls);
        [money, tokens, calls].into_iter().flatten().collect()
    }
}

/// Returns whether anything that reaches a limit of `wide` reaches one of `narrow`.
fn bounded<T: PartialOrd>(narrow: Option<T>, wide: Option<T>) -> bool {
    wide.is_none_or(|wide| narrow.is_some_and(|narrow| narrow <= wide))
}

impl Rule for Budget {
    fn look(&self, run: &Progress<'_>) -> Looked {
        let used = run.usage;
        let money = self.cost_usd.map(|limit| {
            let (cost, limit) = (used.known_cost_usd.get(), limit.get());
            Seen::new(at_least(cost, limit), cost, limit)
        });
        let tokens = self.tokens.map(|limit| Seen::count(used.tokens, limit));
        let calls = self.calls.map(|limit| Seen::count(used.calls, limit));
        let mut looked = Looked::default();
        for (part, one) in [money, tokens, calls].into_iter().enumerate() {
            looked.seen.extend(one.map(|seen| Seen { part, ..seen }));
            if looked.holds() {
                break;
            }
        }
        let is_unknown = self.cost_usd.is_some() && used.calls_of_unknown_cost > 0;
        looked.note = is_unknown.then_some(UNKNOWN_COST);
        looked
    }

    fn clause(&self) -> String {
        format!("the document has used up {}", self.words("or"))
    }

    fn properties(&self) -> Properties {
        Properties {
            earliest: 1,
            fitting: None,
            constants: self.constants(),
            costly: None,
            needs_rollback: false,
            parts: smallvec![
                Part { key: "cost_usd", decides: self.cost_usd.is_some() },
                Part { key: "tokens", decides: self.tokens.is_some() },
                // In a proof every candidate is one call, in a run it may be more.
                Part { key: "calls", decides: false },
            ],
        }
    }

    fn overtakes(&self, other: &Criterion, _: &Ground) -> Option<Overtakes> {
        let Criterion::Budget(wide) = other else { return None };
        let within = bounded(self.cost_usd.map(Usd::get), wide.cost_usd.map(Usd::get))
            && bounded(self.tokens, wide.tokens)
            && bounded(self.calls, wide.calls);
        within.then(|| Overtakes::new(false))
    }

    fn doubt(&self, _: &Ground) -> Option<Doubt> {
        self.cost_usd.is_some_and(|limit| limit.get() == 0.0).then(|| {
            let why = "a budget of 0 is used up before anything is corrected";
            Doubt::always(why, "write an amount such as `cost_usd: 0.10`, or remove it")
        })
    }

    fn remember(&self, run: &Progress<'_>, memory: &mut Memory) {
        let used = run.usage;
        let money = self.cost_usd.map(|limit| used.known_cost_usd.get().min(limit.get()));
        let tokens = self.tokens.map(|limit| number(used.tokens.min(limit)));
        let calls = self.calls.map(|limit| number(used.calls.min(limit)));
        memory.numbers.extend([money, tokens, calls].into_iter().flatten());
    }
}
