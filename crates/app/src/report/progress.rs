//! The progress of a batch, as one line: numbers in, text out. Time is an argument.

use super::figures::{dollars, duration, thousands};
use crate::experiment::statistics::real;
use crate::ingest::ReadingProgress;
use crate::policy::FinalStatus;
use crate::result::DocumentResult;
use crate::value::prose;
use crate::value::{Millis, Usage};
use std::collections::VecDeque;

/// The rate is that of the last minute at least, and of this many documents.
const WINDOW: Millis = Millis(60_000);
const DOCUMENTS_OF_WINDOW: u64 = 10;
/// The interval between kept moments, so that there are few of them however fast documents end.
const BETWEEN_MOMENTS: Millis = Millis(1_000);
/// The number of documents that must be done before the rest is estimated.
const FIRST_DOCUMENTS: u64 = 3;

/// The state of a batch. `started` and every `now` are counted from the same moment.
#[derive(Debug, Clone)]
pub struct Progress {
    /// Documents that are over, those of an earlier run with them.
    pub done: u64,
    /// Those that passed.
    pub passed: u64,
    /// Those that need review, whether they passed or not.
    pub review: u64,
    /// Those that failed or were given up.
    pub failed: u64,
    /// All documents, if their number is known.
    pub total: Option<u64>,
    /// The page of the document that was begun last, while it is read.
    pub reading: Option<ReadingProgress>,
    /// The usage of this run.
    pub usage: Usage,
    /// The time at which this run began.
    pub started: Millis,
    /// The number of `done` that are not of this run.
    earlier: u64,
    /// The number that was done at each moment, the oldest first.
    moments: VecDeque<(Millis, u64)>,
}

impl Progress {
    /// A batch that begins.
    #[must_use]
    pub fn new(total: Option<u64>, started: Millis) -> Self {
        Progress {
            done: 0,
            passed: 0,
            review: 0,
            failed: 0,
            total,
            reading: None,
            usage: Usage::default(),
            started,
            earlier: 0,
            moments: VecDeque::from([(started, 0)]),
        }
    }

    /// A batch of which an earlier run has finished some documents: they are done, and don't count for its speed.
    #[must_use]
    pub fn after_earlier(mut self, done: u64, passed: u64) -> Self {
        self.done += done;
        self.passed += passed;
        self.earlier += done;
        self.moments = VecDeque::from([(self.started, self.done)]);
        self
    }

    /// Counts a document that has a result.
    pub fn add(&mut self, result: &DocumentResult, now: Millis) {
        self.passed += u64::from(result.final_status.passes());
        self.review += u64::from(result.review);
        self.failed += u64::from(result.final_status == FinalStatus::Failed);
        self.usage += result.usage;
        self.count(now);
    }

    /// Counts so many sections in place of their file.
    pub fn split(&mut self, sections: usize) {
        let sections = u64::try_from(sections).unwrap_or(u64::MAX);
        self.total = self.total.map(|total| total.saturating_add(sections).saturating_sub(1));
    }

    /// Counts a document that has none.
    pub fn add_failed(&mut self, now: Millis) {
        self.failed += 1;
        self.count(now);
    }

    fn count(&mut self, now: Millis) {
        self.done += 1;
        match self.moments.back() {
            Some((latest, _)) if self.moments.len() > 1 && now - *latest < BETWEEN_MOMENTS => {}
            _ => self.moments.push_back((now, self.done)),
        }
        // The oldest is dropped once the next one is far enough back.
        while let Some((second, done)) = self.moments.get(1)
            && now - *second >= WINDOW
            && self.done.saturating_sub(*done) >= DOCUMENTS_OF_WINDOW
        {
            self.moments.pop_front();
        }
    }

    /// Documents in a second; `None` while too few are done.
    fn rate(&self, now: Millis) -> Option<f64> {
        let (since, before) = *self.moments.front()?;
        let (documents, time) = (self.done.saturating_sub(before), now - since);
        (self.done - self.earlier >= FIRST_DOCUMENTS && documents > 0 && time.0 > 0)
            .then(|| real(documents) * 1_000.0 / real(time.0))
    }

    fn left(&self) -> Option<u64> {
        self.total.map(|total| total.saturating_sub(self.done)).filter(|left| *left > 0)
    }

    /// The progress, in `width` characters at most: the least important is left out first.
    #[must_use]
    pub fn line(&self, width: usize, now: Millis) -> String {
        let parts = self.parts(now);
        let mut kept: Vec<&Part> = parts.iter().filter(|part| !part.text.is_empty()).collect();
        loop {
            let line = kept.iter().map(|part| part.text.as_str()).collect::<Vec<_>>().join("  ");
            if line.chars().count() <= width {
                return line;
            }
            let least = kept.iter().enumerate().max_by_key(|(_, part)| part.rank).map(|(at, _)| at);
            match least.filter(|_| kept.len() > 1) {
                Some(at) => {
                    kept.remove(at);
                }
                None => return line.chars().take(width).collect(),
            }
        }
    }

    fn parts(&self, now: Millis) -> Vec<Part> {
        let rate = self.rate(now);
        let (done, percent) = match self.total {
            Some(total) => {
                (format!("{} / {}", thousands(self.done), thousands(total)), share(self.done, total))
            }
            None => (format!("{} done", thousands(self.done)), String::new()),
        };
        let count = |name: &str, count: u64| match count {
            0 => String::new(),
            some => format!("{name} {}", thousands(some)),
        };
        let left = match (self.left(), rate) {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "not negative, and saturates"
            )]
            (Some(left), Some(rate)) => {
                // Seconds alone: a line that changes in its last digit all the time is not read.
                let seconds = (real(left) / rate).ceil() as u64;
                format!("{} left", duration(Millis(seconds.saturating_mul(1_000))))
            }
            _ => String::new(),
        };
        let (money, whole) = self.money();
        vec![
            Part { rank: 0, text: done },
            Part { rank: 2, text: percent },
            Part { rank: 3, text: self.reading.map_or_else(String::new, |reading| reading.to_string()) },
            Part { rank: 5, text: count("passed", self.passed) },
            Part { rank: 4, text: count("review", self.review) },
            Part { rank: 1, text: count("failed", self.failed) },
            Part { rank: 7, text: rate.map_or_else(String::new, speed) },
            Part {
                rank: 6,
                text: if whole.is_empty() { String::new() } else { format!("{money} ({whole})") },
            },
            Part { rank: 5, text: if whole.is_empty() { money } else { String::new() } },
            Part { rank: 3, text: left },
        ]
    }

    /// The known part of the cost, and an estimate for all documents if the rest costs as much; nothing is derived from
    /// a cost that is not known.
    fn money(&self) -> (String, String) {
        let known = self.usage.known_cost_usd.get();
        let own = self.done - self.earlier;
        match self.usage.calls_of_unknown_cost {
            0 if self.usage.calls == 0 || known == 0.0 => (String::new(), String::new()),
            0 => {
                let whole = self.left().filter(|_| own >= FIRST_DOCUMENTS).map_or_else(String::new, |left| {
                    format!("~{}", rough_dollars(known / real(own) * real(own + left)))
                });
                (dollars(rounded(known)), whole)
            }
            _ if known == 0.0 => ("cost unknown".to_owned(), String::new()),
            unknown => (
                format!("{} + {} of unknown cost", dollars(rounded(known)), prose::count(unknown, "call")),
                String::new(),
            ),
        }
    }
}

/// A part of the line; those of the highest rank are left out first.
struct Part {
    rank: u8,
    text: String,
}

/// A share, rounded down: it is whole only when all is done.
fn share(part: u64, whole: u64) -> String {
    if whole == 0 {
        return String::new();
    }
    let thousandths = u128::from(part) * 1_000 / u128::from(whole);
    format!("{}.{} %", thousandths / 10, thousandths % 10)
}

/// Documents per second, minute or hour, whichever is meaningful.
fn speed(per_second: f64) -> String {
    for (factor, unit) in [(1.0, "s"), (60.0, "min")] {
        if per_second * factor >= 1.0 {
            return format!("{:.1}/{unit}", per_second * factor);
        }
    }
    format!("{:.1}/h", per_second * 3_600.0)
}

/// Ten thousandths of a dollar: smaller amounts are not seen to grow.
fn rounded(amount: f64) -> f64 {
    (amount * 10_000.0).round() / 10_000.0
}

/// Two significant digits, as befits an estimate.
fn rough_dollars(amount: f64) -> String {
    if amount < 1.0 {
        return format!("${amount:.2}");
    }
    let unit = 10_f64.powf((amount.log10().floor() - 1.0).max(0.0));
    dollars((amount / unit).round() * unit).trim_end_matches(".00").to_owned()
}

/// The times for a line of progress where it can't be redrawn: when another tenth is done, or after half a minute.
#[derive(Debug, Clone, Copy, Default)]
pub struct PlainSteps {
    latest: Millis,
    tenths: u64,
}

impl PlainSteps {
    const BETWEEN: Millis = Millis(30_000);
    /// Tenths that follow one another faster than this do not each get a line.
    const BETWEEN_TENTHS: Millis = Millis(2_000);

    /// From a moment on.
    #[must_use]
    pub fn new(now: Millis) -> Self {
        PlainSteps { latest: now, tenths: 0 }
    }

    /// Returns whether it is time for a line; if so, it counts as written. None is due at the end: the summary follows.
    pub fn is_due(&mut self, progress: &Progress, now: Millis) -> bool {
        if progress.total == Some(progress.done) {
            return false;
        }
        let tenths = match progress.total {
            Some(total) if total > 0 => progress.done.saturating_mul(10) / total,
            _ => 0,
        };
        let since = now - self.latest;
        let is_due = since >= Self::BETWEEN || (tenths > self.tenths && since >= Self::BETWEEN_TENTHS);
        if is_due {
            (self.latest, self.tenths) = (now, tenths);
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Usd;

    fn far() -> Progress {
        let mut progress = Progress::new(Some(100_000), Millis(0));
        for at in 0..1_234_u64 {
            progress.count(Millis((at + 1) * 1_000 / 12));
        }
        (progress.passed, progress.review, progress.failed) = (1_100, 80, 54);
        progress.usage = Usage { calls: 2_000, known_cost_usd: Usd::new(1.23).unwrap(), ..Usage::default() };
        progress
    }

    #[test]
    fn a_line_says_how_far_it_is_and_what_is_left() {
        let now = Millis(102_834);
        assert_eq!(
            far().line(200, now),
            "1,234 / 100,000  1.2 %  passed 1,100  review 80  failed 54  12.0/s  $1.23 (~$100)  2 h 17 min left"
        );
        for (width, expected) in [
            (
                90,
                "1,234 / 100,000  1.2 %  passed 1,100  review 80  failed 54  $1.23 (~$100)  2 h 17 min left",
            ),
            (61, "1,234 / 100,000  1.2 %  review 80  failed 54  2 h 17 min left"),
            (30, "1,234 / 100,000  failed 54"),
            (15, "1,234 / 100,000"),
            (7, "1,234 /"),
            (0, ""),
        ] {
            let line = far().line(width, now);
            assert!(line.chars().count() <= width, "{width}: {line}");
            assert_eq!(line, expected, "{width}");
        }
    }

    #[test]
    fn a_file_that_is_read_shows_its_page_and_one_that_is_split_counts_as_its_sections() {
        let mut progress = Progress::new(Some(3), Millis(0));
        progress.reading = Some(ReadingProgress { page: 7, pages: 40 });
        assert_eq!(progress.line(80, Millis(5)), "0 / 3  0.0 %  reading page 7 of 40");
        progress.reading = None;
        progress.split(4);
        assert_eq!(progress.line(80, Millis(5)), "0 / 6  0.0 %");
    }

    #[test]
    fn of_an_unknown_total_there_is_no_share_and_nothing_left() {
        let progress = Progress { total: None, ..far() };
        assert_eq!(
            progress.line(200, Millis(102_834)),
            "1,234 done  passed 1,100  review 80  failed 54  12.0/s  $1.23"
        );
        assert_eq!(Progress::new(None, Millis(0)).line(80, Millis(0)), "0 done");
        assert_eq!(Progress::new(Some(0), Millis(0)).line(80, Millis(5)), "0 / 0");
        assert_eq!(Progress::new(Some(3), Millis(0)).line(80, Millis(5)), "0 / 3  0.0 %");
    }

    #[test]
    fn a_cost_that_is_not_known_is_neither_0_nor_carried_on() {
        let mut progress = far();
        progress.usage.calls_of_unknown_cost = 7;
        assert!(progress.line(200, Millis(102_834)).contains("  $1.23 + 7 calls of unknown cost  "));
        progress.usage = Usage::of_call(1, None);
        assert!(progress.line(200, Millis(102_834)).contains("  cost unknown  "));
    }

    #[test]
    fn the_rate_follows_the_latest_documents_and_falls_while_none_ends() {
        let mut progress = Progress::new(Some(10_000), Millis(0));
        for at in 1..=600 {
            progress.count(Millis(at * 100));
        }
        assert!(progress.line(200, Millis(60_000)).contains("  10.0/s  "));
        // A minute at a tenth of the speed.
        for at in 1..=70 {
            progress.count(Millis(60_000 + at * 1_000));
        }
        let line = progress.line(200, Millis(130_000));
        assert!(line.contains("  1.0/s  "), "{line}");
        assert!(progress.moments.len() < 100, "{}", progress.moments.len());
        let line = progress.line(200, Millis(730_000));
        assert!(line.contains("/min  "), "{line}");
        // While nothing can be estimated, nothing is shown.
        let mut few = Progress::new(Some(10), Millis(0));
        few.count(Millis(1));
        assert_eq!(few.line(80, Millis(2)), "1 / 10  10.0 %");
    }

    #[test]
    fn what_an_earlier_run_finished_makes_this_one_no_faster() {
        let mut progress = Progress::new(Some(10_000), Millis(0)).after_earlier(9_000, 8_000);
        for at in 1..=10 {
            progress.count(Millis(at * 1_000));
        }
        progress.usage = Usage { calls: 10, known_cost_usd: Usd::new(0.1).unwrap(), ..Usage::default() };
        assert_eq!(
            progress.line(200, Millis(10_000)),
            "9,010 / 10,000  90.1 %  passed 8,000  1.0/s  $0.10 (~$10)  16 min left"
        );
    }

    #[test]
    fn where_nothing_is_redrawn_lines_are_few() {
        let mut progress = Progress::new(Some(100), Millis(0));
        let mut steps = PlainSteps::new(Millis(0));
        let mut due = Vec::new();
        for at in 1..=100 {
            progress.count(Millis(at * 1_000));
            if steps.is_due(&progress, Millis(at * 1_000)) {
                due.push(progress.done);
            }
        }
        assert_eq!(due, [10, 20, 30, 40, 50, 60, 70, 80, 90]);
        let mut unknown = Progress::new(None, Millis(0));
        let mut steps = PlainSteps::new(Millis(0));
        let due = (1..=100).filter(|at| {
            unknown.count(Millis(at * 1_000));
            steps.is_due(&unknown, Millis(at * 1_000))
        });
        assert_eq!(due.collect::<Vec<u64>>(), [30, 60, 90]);
        let mut short = Progress::new(Some(5), Millis(0));
        let mut steps = PlainSteps::new(Millis(0));
        assert!((1..=5).all(|at| {
            short.count(Millis(at * 10));
            !steps.is_due(&short, Millis(at * 10))
        }));
    }
}
