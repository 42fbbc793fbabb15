//! The promise to be certified about accepted documents: the `certify` block of a profile.

use super::policy::{Target, target};
use crate::diag::{Code, Problem, Problems};
use crate::value::decode::{Decode, Fields, Spanned, wrong_type};
use crate::value::shape::Shape;
use crate::value::yaml::{Data, Node};
use crate::value::{EPSILON, Score};
use crate::{decode_words, mapping};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Most thresholds of a grid.
const MOST_THRESHOLDS: usize = 1_000;

/// Shares between these can be told apart from none and all by a feasible number of reviews.
const SHARES: (f64, f64) = (0.000_1, 0.999_9);

mapping! {
    /// The promise that `loopctl calibrate` is to certify: a threshold at which at most a given share of the accepted
    /// documents hold a wrong value. All of it is fixed before anyone sees a label. It decides nothing about a
    /// document.
    "certify" is "set of certification settings", expects "a mapping such as `{ wrong_documents: 2%, confidence: 95% }`", checked by Certify::check, all default;
    #[derive(Debug, Clone)]
    pub struct Certify {
        /// The most of the accepted documents that may hold a wrong value.
        #[key(default("2%"), examples(&["5%", "0.01"]))]
        pub wrong_documents: Share,
        /// The confidence of the statement. With 95 %, at most 5 of 100 reviews like this one would certify a threshold
        /// that breaks the promise.
        #[key(default("95%"), examples(&["99%"]))]
        pub confidence: Share,
        /// The score that is held against the thresholds: `overall` or a dimension.
        #[key(text("`overall` or a dimension"), default("overall"), examples(&["accuracy"]))]
        pub score: Spanned<String>,
        /// The thresholds that are tried, the strictest first: a list, or a range with a step.
        #[key(default("{ from: 1.0, to: 0.8, step: 0.01 }"), examples(&["[0.98, 0.95, 0.9]"]))]
        pub grid: Grid,
        /// The scope of a statement. All statements together hold with the confidence: with several document types,
        /// each gets an equal part of the chance to err.
        #[key(default("document_type"), examples(&["all"]))]
        pub per: Per,
        /// The documents that may count as accepted at a threshold.
        #[key(default("passed"), examples(&["returned"]))]
        pub among: Among,
        /// The number of times that labels are inspected.
        #[key(default("once"), examples(&["any_time"]))]
        pub looks: Looks,
        /// The share of accepted documents that is reviewed for as long as the certificate is used;
        /// `calibrate --draw-audit` draws them. Without it, no one notices when the promise no longer holds.
        #[key(examples(&["5%"]))]
        pub audit: Option<Share>,
        /// Ids of documents that never count: those by which rules were written, and those that appear in prompts as
        /// examples.
        #[key(default("[]"), examples(&["[report-17, report-23]"]))]
        pub exclude: Vec<String>,
        /// The certificate that `calibrate --out` wrote. `run` and `check` report what it promises, or why it is void.
        #[key(text("a path, from the working directory"), examples(&["certificates/clinic.json"]))]
        pub certificate: Option<Spanned<String>>,
    }
}

/// A share, from 0.01 % to 99.99 %.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Share(f64);

impl Share {
    /// `None` unless the number lies between 0.0001 and 0.9999.
    #[must_use]
    pub fn new(share: f64) -> Option<Self> {
        (SHARES.0..=SHARES.1).contains(&share).then_some(Share(share))
    }

    /// The number, between 0 and 1.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }

    /// The rest of the whole, as people write it: that of 95 % is 0.05, and not 0.050000000000000044.
    #[must_use]
    pub fn rest(self) -> f64 {
        ((1.0 - self.0) * 1e12).round() / 1e12
    }

    /// Reads `2%` or `0.02`.
    fn parse(text: &str) -> Option<Self> {
        let number = |text: &str| text.trim().parse::<f64>().ok();
        match text.trim().strip_suffix('%') {
            Some(percent) => Self::new(number(percent)? / 100.0),
            None => Self::new(number(text)?),
        }
    }
}

impl TryFrom<f64> for Share {
    type Error = String;

    fn try_from(share: f64) -> Result<Self, String> {
        Share::new(share).ok_or_else(|| format!("expected a share from 0.0001 to 0.9999, found {share}"))
    }
}

impl From<Share> for f64 {
    fn from(share: Share) -> f64 {
        share.0
    }
}

impl fmt::Display for Share {
    /// In percent, with as few decimals as it needs: `2 %`, `0.5 %`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = format!("{:.3}", self.0 * 100.0);
        write!(f, "{} %", percent.trim_end_matches('0').trim_end_matches('.'))
    }
}

impl Decode for Share {
    const EXPECTED: &'static str = "a share such as `2%` or `0.02`";

    fn shape() -> Shape {
        Shape::AnyOf(vec![
            Shape::number(SHARES.0, SHARES.1),
            Shape::text_like("a share in percent, such as `2%`", r"^\s*[0-9]*\.?[0-9]+\s*%\s*$"),
        ])
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let share = match &node.data {
            Data::Text { text, .. } => Share::parse(text),
            Data::Int(_) | Data::Float(_) => f64::decode(node, problems).and_then(Share::new),
            _ => return wrong_type(node, Self::EXPECTED, problems),
        };
        if share.is_none() {
            let message = format!("expected {}, found `{}`", Self::EXPECTED, node.span.text());
            let problem = Problem::error(Code::OutOfRange, &node.span, message);
            problems.push(problem.help("it lies between 0.01 % and 99.99 %"));
        }
        share
    }
}

/// Thresholds, the strictest first.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid(Vec<f64>);

impl Grid {
    /// The thresholds, each below the one before.
    #[must_use]
    pub fn thresholds(&self) -> &[f64] {
        &self.0
    }

    /// `None` unless each is a score below the one before, and there are some, at most 1,000.
    #[must_use]
    pub fn new(thresholds: Vec<f64>) -> Option<Self> {
        let falls = thresholds.is_sorted_by(|a, b| *a > b + EPSILON);
        let scores = thresholds.iter().all(|threshold| Score::new(*threshold).is_some());
        ((1..=MOST_THRESHOLDS).contains(&thresholds.len()) && falls && scores).then_some(Grid(thresholds))
    }
}

mapping! {
    /// Thresholds at equal distances.
    "threshold_range" is "range of thresholds";
    struct ThresholdRange {
        /// The strictest threshold.
        #[key(required, number(0.0, 1.0), examples(&["0.99"]))]
        from: f64,
        /// The most lenient one.
        #[key(required, number(0.0, 1.0), examples(&["0.7"]))]
        to: f64,
        /// The distance between them, at least 0.001.
        #[key(required, number(0.001, 1.0), examples(&["0.02"]))]
        step: f64,
    }
}

impl ThresholdRange {
    fn grid(&self) -> Option<Grid> {
        // Counted, not added up, and rounded: 0.97 is the threshold that people write, and not 0.9700000000000001.
        let threshold = |k: usize| {
            #[expect(clippy::cast_precision_loss, reason = "at most a thousand")]
            let exact = self.from - self.step * k as f64;
            (exact * 1e6).round() / 1e6
        };
        let within = |threshold: &f64| *threshold >= self.to - EPSILON;
        Grid::new((0..=MOST_THRESHOLDS).map(threshold).take_while(within).collect())
    }
}

impl Decode for Grid {
    const EXPECTED: &'static str =
        "falling thresholds such as `[0.98, 0.95]`, or `{ from: 1.0, to: 0.8, step: 0.01 }`";

    fn shape() -> Shape {
        Shape::AnyOf(vec![Shape::list(Shape::number(0.0, 1.0)), Shape::Mapping(ThresholdRange::mapping())])
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let grid = match &node.data {
            Data::List(items) => {
                let read = items.iter().map(|item| Some(Score::decode(item, problems)?.get()));
                Grid::new(read.collect::<Option<_>>()?)
            }
            Data::Map(_) => ThresholdRange::read_mapping(node, problems)?.grid(),
            _ => return wrong_type(node, Self::EXPECTED, problems),
        };
        if grid.is_none() {
            let message = format!("expected {}", Self::EXPECTED);
            let problem = Problem::error(Code::OutOfRange, &node.span, message);
            problems.push(
                problem
                    .help(format!("begin with the strictest; there may be 1 to {MOST_THRESHOLDS} of them")),
            );
        }
        grid
    }
}

/// The scope of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Per {
    /// Documents of one type.
    DocumentType,
    /// All documents.
    All,
}

decode_words!(Per, "scope", {
    "document_type": "The documents of one type: each type has its threshold." => Per::DocumentType,
    "all": "All documents together: one threshold, that may hide a type that is worse." => Per::All,
});

/// The documents that may count as accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Among {
    /// Those that the profile passed.
    Passed,
    /// Every one that has a candidate.
    Returned,
}

decode_words!(Among, "set of documents", {
    "passed": "Those that the profile passed: every line of `accept` holds, and the score reaches the threshold." => Among::Passed,
    "returned": "Every document with a candidate: only the score is held against the threshold." => Among::Returned,
});

/// The number of times that labels are inspected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Looks {
    /// Once, when all are there.
    Once,
    /// After every one of them.
    AnyTime,
}

decode_words!(Looks, "number of looks", {
    "once": "Once, when all labels are there: needs the fewest. Asking again with more labels breaks the promise." => Looks::Once,
    "any_time": "As often as you like while labels come in; needs half as many again. Begin the grid with a threshold that many documents reach." => Looks::AnyTime,
});

impl Certify {
    fn check(&self, fields: &Fields<'_>, problems: &mut Problems) {
        if let (true, Some(span)) = (self.confidence.get() < 0.5, fields.key_span("confidence")) {
            let message = format!("a confidence of {} is less than a coin's", self.confidence);
            let problem = Problem::error(Code::OutOfRange, span, message);
            problems.push(problem.help("write `confidence: 95%`"));
        }
    }

    /// Reports a score that is none of the profile's; `known` are its dimensions.
    pub(super) fn check_score(&self, known: &[&str], problems: &mut Problems) {
        target(&self.score.value, &self.score.span, known, &[], problems);
    }

    /// The score that is held against the thresholds.
    #[must_use]
    pub fn target(&self) -> Target {
        match self.score.value.as_str() {
            "overall" => Target::Overall,
            dimension => Target::Dimension(dimension.to_owned()),
        }
    }

    /// The chance to err that all statements have together.
    #[must_use]
    pub fn delta(&self) -> f64 {
        self.confidence.rest()
    }
}
