//! The progress of a batch on standard error: one line that is redrawn on a terminal; elsewhere a line now and then.

use crate::execution::ProgressLine;
use crate::ingest::ReadingProgress;
use crate::report::{PlainSteps, Progress};
use crate::result::DocumentResult;
use crate::streams::Streams;
use crate::value::{Millis, sanitize_line};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The interval at which the line is redrawn, so that its times advance while no document ends.
const REDRAWN: Duration = Duration::from_millis(500);
/// The assumed width of a terminal that does not report it.
const USUAL_WIDTH: usize = 80;

/// The line of progress of a batch.
pub(super) struct TerminalProgress {
    progress: Arc<Mutex<Progress>>,
    began: Instant,
    shown: ProgressDisplay,
}

enum ProgressDisplay {
    /// On a terminal.
    Redrawn(ProgressBar),
    /// Elsewhere, where lines stay.
    Plain(PlainSteps),
}

impl ProgressLine for TerminalProgress {
    fn listed(&mut self, documents: u64, finished: u64) {
        self.with(|progress| {
            *progress = progress.clone().after_earlier(finished, 0);
            progress.total = Some(documents);
        });
    }

    fn reading(&mut self, page: Option<ReadingProgress>) {
        self.with(|progress| progress.reading = page);
        // Elsewhere than on a terminal a line for each page would be too many.
        if let ProgressDisplay::Redrawn(bar) = &self.shown {
            bar.tick();
        }
    }

    fn split(&mut self, sections: usize) {
        self.with(|progress| progress.split(sections));
    }

    fn finished(&mut self, result: &DocumentResult, output: &mut Streams) {
        let now = since(self.began);
        self.with(|progress| progress.add(result, now));
        self.show(now, |line| output.say(line));
    }

    fn failed(&mut self, output: &mut Streams) {
        let now = since(self.began);
        self.with(|progress| progress.add_failed(now));
        self.show(now, |line| output.say(line));
    }

    /// Writes through [`Streams`], which keep control characters from the terminal.
    fn above(&self, write: &mut dyn FnMut()) {
        match &self.shown {
            ProgressDisplay::Redrawn(bar) => bar.suspend(write),
            ProgressDisplay::Plain(_) => write(),
        }
    }
}

impl TerminalProgress {
    /// The line of a batch whose documents are not counted yet.
    pub(super) fn start() -> Self {
        Self::on(ProgressDrawTarget::stderr(), width_of_stderr)
    }

    /// A line redrawn on this target.
    fn on(target: ProgressDrawTarget, width: fn() -> usize) -> Self {
        let (progress, began) = (Arc::new(Mutex::new(Progress::new(None, Millis(0)))), Instant::now());
        // It is not a terminal, or one that can't redraw.
        if target.is_hidden() {
            return TerminalProgress {
                progress,
                began,
                shown: ProgressDisplay::Plain(PlainSteps::new(Millis(0))),
            };
        }
        let drawn = Arc::clone(&progress);
        let line = move |_: &ProgressState, out: &mut dyn fmt::Write| {
            let progress = drawn.lock().unwrap_or_else(PoisonError::into_inner);
            // The last column stays free: some terminals move to the next line when it is written.
            let line = progress.line(width().saturating_sub(1), since(began));
            let _ = out.write_str(&sanitize_line(&line));
        };
        let bar = ProgressBar::with_draw_target(None, target);
        if let Ok(style) = ProgressStyle::with_template("{line}") {
            bar.set_style(style.with_key("line", line));
        }
        bar.enable_steady_tick(REDRAWN);
        TerminalProgress { progress, began, shown: ProgressDisplay::Redrawn(bar) }
    }

    fn show(&mut self, now: Millis, say: impl FnOnce(&str)) {
        match &mut self.shown {
            // The bar limits how often a terminal is redrawn.
            ProgressDisplay::Redrawn(bar) => bar.tick(),
            ProgressDisplay::Plain(steps) => {
                let progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
                if steps.is_due(&progress, now) {
                    say(&sanitize_line(&progress.line(usize::MAX, now)));
                }
            }
        }
    }

    fn with(&self, change: impl FnOnce(&mut Progress)) {
        change(&mut self.progress.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Drop for TerminalProgress {
    /// Clears the line, because the summary follows.
    fn drop(&mut self) {
        if let ProgressDisplay::Redrawn(bar) = &self.shown {
            bar.finish_and_clear();
        }
    }
}

fn since(began: Instant) -> Millis {
    Millis(u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX))
}

#[cfg(unix)]
fn width_of_stderr() -> usize {
    let size = rustix::termios::tcgetwinsize(std::io::stderr());
    size.map(|size| usize::from(size.ws_col)).ok().filter(|width| *width > 0).unwrap_or(USUAL_WIDTH)
}

#[cfg(not(unix))]
fn width_of_stderr() -> usize {
    USUAL_WIDTH
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    /// A terminal that keeps what is written to it.
    #[derive(Debug, Clone, Default)]
    struct Terminal(Arc<Mutex<String>>);

    impl Terminal {
        fn write(&self, text: &str) -> io::Result<()> {
            self.0.lock().unwrap().push_str(text);
            Ok(())
        }
    }

    impl indicatif::TermLike for Terminal {
        fn width(&self) -> u16 {
            60
        }
        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn write_line(&self, text: &str) -> io::Result<()> {
            self.write(&format!("{text}\n"))
        }
        fn write_str(&self, text: &str) -> io::Result<()> {
            self.write(text)
        }
        fn clear_line(&self) -> io::Result<()> {
            self.write("<clear>")
        }
        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn other_lines_stand_above_the_line_that_is_redrawn() {
        let terminal = Terminal::default();
        let target = ProgressDrawTarget::term_like(Box::new(terminal.clone()));
        let mut line = TerminalProgress::on(target, || 30);
        line.listed(4, 1);
        line.with(|progress| progress.add_failed(Millis(5)));
        line.show(Millis(5), |_| panic!("it is redrawn"));
        // It is drawn again below what was written, if not before.
        line.above(&mut || terminal.write("first\n").unwrap());
        line.above(&mut || terminal.write("second\n").unwrap());
        drop(line);
        let written = terminal.0.lock().unwrap().clone();
        assert!(written.contains("2 / 4  50.0 %"), "{written}");
        assert!(written.contains("<clear>second\n"), "{written}");
        assert!(written.ends_with("<clear>"), "{written}");
        assert!(
            written.lines().all(|line| line.rsplit("<clear>").next().unwrap().trim_end().len() < 30),
            "{written}"
        );
    }

    #[test]
    fn where_nothing_is_redrawn_lines_come_now_and_then() {
        let mut line = TerminalProgress::on(ProgressDrawTarget::hidden(), || 30);
        line.listed(100, 0);
        let mut said = Vec::new();
        for at in 1..=10 {
            line.with(|progress| progress.add_failed(Millis(at * 10_000)));
            line.show(Millis(at * 10_000), |line| said.push(line.to_owned()));
        }
        assert_eq!(
            said,
            [
                "3 / 100  3.0 %  failed 3  6.0/min  16 min left",
                "6 / 100  6.0 %  failed 6  6.0/min  15 min left",
                "9 / 100  9.0 %  failed 9  6.0/min  15 min left",
                "10 / 100  10.0 %  failed 10  6.0/min  15 min left",
            ]
        );
    }
}
