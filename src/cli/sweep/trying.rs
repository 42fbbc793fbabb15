//! Tries every policy of a space, on all processors.

use super::not_computed;
use super::policies::Bases;
use crate::diag::{Code, Problem, Problems};
use crate::experiment::Trajectories;
use crate::experiment::sweep::{Counts, Experiment, Goals, RecordedBy, Split, Trial, Tried};
use crate::failure::Failure;
use crate::report::{PlainSteps, Progress};
use crate::streams::Streams;
use crate::value::Millis;
use crate::value::decode::Spanned;
use crate::value::prose::count;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Instant;

/// The number of policies that a thread takes at once.
const CHUNK: usize = 32;

/// The findings of one thread.
#[derive(Default)]
struct ThreadFindings {
    tried: Vec<Tried>,
    left_out: usize,
    invalid: usize,
    /// The first invalid policy, with its problems.
    first_invalid: Option<(usize, Problems)>,
}

/// The reason that trying stops.
enum ObjectiveError<'e> {
    /// An objective or constraint without a value.
    NotComputed(usize),
    /// A condition without a value.
    Condition(&'e Spanned<String>),
}

/// Tries every combination over every profile. The answer is the same however many threads there are.
#[expect(clippy::too_many_arguments, reason = "all that a policy is tried with")]
pub(super) fn try_all(
    experiment: &Experiment,
    bases: &Bases,
    trajectories: &Trajectories,
    recorded: Option<&RecordedBy>,
    goals: &Goals,
    split: &Split,
    quiet: bool,
    output: &mut Streams,
) -> Result<(Vec<Tried>, Counts), Failure> {
    let combinations = experiment.space.combinations().unwrap_or_default();
    let all = combinations.saturating_mul(bases.count());
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let work = &|done: &mpsc::Sender<usize>| {
        let mut part = ThreadFindings::default();
        let mut trial = Trial::new(trajectories, goals);
        let stop = |stopped| {
            // The others need not continue.
            next.store(all, Ordering::Relaxed);
            stopped
        };
        loop {
            let from = next.fetch_add(CHUNK, Ordering::Relaxed);
            let chunk = from..from.saturating_add(CHUNK).min(all);
            if chunk.is_empty() {
                return Ok(part);
            }
            for at in chunk.clone() {
                let (profile, combination) = (at / combinations.max(1), at % combinations.max(1));
                let wanted =
                    experiment.space.is_wanted(bases.name(profile), combination, &experiment.conditions);
                if !wanted.map_err(|condition| stop(ObjectiveError::Condition(condition)))? {
                    part.left_out += 1;
                    continue;
                }
                let mut problems = Problems::new();
                match bases.candidate(experiment, profile, combination, recorded, &mut problems) {
                    Some(candidate) => {
                        let evaluation = trial
                            .evaluate(&candidate, &split.train)
                            .map_err(|at| stop(ObjectiveError::NotComputed(at)))?;
                        part.tried.push(Tried { profile, combination, evaluation });
                    }
                    None => {
                        part.invalid += 1;
                        part.first_invalid.get_or_insert((at, problems));
                    }
                }
            }
            let _ = done.send(chunk.len());
        }
    };
    let parts: Vec<Result<ThreadFindings, ObjectiveError<'_>>> = std::thread::scope(|scope| {
        let (done, finished) = mpsc::channel();
        let start = |done: mpsc::Sender<usize>| scope.spawn(move || work(&done));
        let workers: Vec<_> = (0..threads).map(|_| start(done.clone())).collect();
        drop(done);
        show_progress(all, &finished, quiet, output);
        workers
            .into_iter()
            .map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    let mut whole = ThreadFindings::default();
    for part in parts {
        let part = part.map_err(|stopped| say_stopped(&stopped, experiment, output))?;
        whole.tried.extend(part.tried);
        whole.left_out += part.left_out;
        whole.invalid += part.invalid;
        let first = |(at, _): &(usize, Problems)| *at;
        whole.first_invalid = whole.first_invalid.into_iter().chain(part.first_invalid).min_by_key(first);
    }
    whole.tried.sort_by_key(|one| (one.profile, one.combination));
    say_invalid(&whole, bases, experiment, output)?;
    let counts =
        Counts { policies: all, left_out: whole.left_out, invalid: whole.invalid, ..Counts::default() };
    Ok((whole.tried, counts))
}

/// Shows progress: a line that is redrawn on a terminal; elsewhere a line now and then.
fn show_progress(all: usize, finished: &mpsc::Receiver<usize>, quiet: bool, output: &mut Streams) {
    let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let bar = ProgressBar::with_draw_target(Some(all as u64), target);
    if let Ok(style) =
        ProgressStyle::with_template("trying policies {wide_bar} {human_pos} of {human_len}, {eta} left")
    {
        bar.set_style(style);
    }
    let began = Instant::now();
    let mut plain = PlainSteps::new(Millis(0));
    let mut progress = Progress::new(Some(all as u64), Millis(0));
    for more in finished {
        bar.inc(more as u64);
        progress.done = bar.position();
        let now = Millis(u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX));
        if bar.is_hidden() && !quiet && plain.is_due(&progress, now) {
            output.say(&format!("tried {} of {}", progress.done, count(all as u64, "policy")));
        }
    }
    bar.finish_and_clear();
}

fn say_stopped(stopped: &ObjectiveError<'_>, experiment: &Experiment, output: &mut Streams) -> Failure {
    match stopped {
        ObjectiveError::NotComputed(at) => not_computed(experiment, *at),
        ObjectiveError::Condition(condition) => condition_without_answer(condition, output),
    }
}

/// Shows a condition that can't be computed.
pub(super) fn condition_without_answer(condition: &Spanned<String>, output: &mut Streams) -> Failure {
    let mut problems = Problems::new();
    let message = "this condition has no answer for some combination";
    problems.push(
        Problem::error(Code::BadTemplate, &condition.span, message)
            .help("a setting that was taken away is `none`: `stop.rollbacks is none or stop.rollbacks > 1`"),
    );
    output.show(&problems);
    Failure::usage("the experiment can't be used")
}

/// Reports the problems of invalid policies: once, for the first. Refuses a space that has no other.
fn say_invalid(
    whole: &ThreadFindings,
    bases: &Bases,
    experiment: &Experiment,
    output: &mut Streams,
) -> Result<(), Failure> {
    let Some((at, problems)) = &whole.first_invalid else { return Ok(()) };
    let combinations = experiment.space.combinations().unwrap_or_default().max(1);
    let settings = experiment.space.settings(at % combinations);
    let settings: Vec<String> = settings.iter().map(|(key, value)| format!("{key}={value}")).collect();
    output.show(problems);
    let first = format!("{} {}", bases.name(at / combinations), settings.join(" "));
    if whole.tried.is_empty() {
        return Err(Failure::usage(format!("no policy of the space can be used; the first one is {first}")));
    }
    let word = output.err_paint.warn("warning:");
    output.say(&format!(
        "{word} {} of the space can't be used; the first one is {first}: `conditions` leave such policies out",
        count(whole.invalid as u64, "policy")
    ));
    Ok(())
}
