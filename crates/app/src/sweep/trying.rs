//! Tries every policy of a space, on all processors.

use super::ShowTried;
use super::open_experiment::{condition_without_answer, warn_of_invalid};
use super::recorded_sweep::RecordedSweep;
use crate::diag::Problems;
use crate::experiment::sweep::{Counts, Trial, Tried};
use crate::failure::Failure;
use crate::streams::Streams;
use crate::value::decode::Spanned;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

/// The number of policies that a thread takes at once.
const CHUNK: usize = 32;

/// Policies that were tried, or could not be.
#[derive(Default)]
struct TriedPolicies {
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
pub(super) fn try_all(
    sweep: &RecordedSweep<'_>,
    show: &mut ShowTried<'_>,
    output: &mut Streams,
) -> Result<(Vec<Tried>, Counts), Failure> {
    let policies = sweep.open.policies();
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let (mut whole, mut stopped) = (TriedPolicies::default(), None);
    std::thread::scope(|scope| {
        let (done, finished) = mpsc::channel();
        for _ in 0..threads {
            let (done, next) = (done.clone(), &next);
            scope.spawn(move || try_some(sweep, next, &done));
        }
        drop(done);
        let mut numbers = finished.iter().map(|part| match part {
            Ok(part) => whole.add(part),
            Err(error) => {
                stopped.get_or_insert(error);
                0
            }
        });
        show(policies, &mut numbers, output);
        // What was not looked at counts, too.
        numbers.for_each(drop);
    });
    match stopped {
        Some(ObjectiveError::NotComputed(at)) => return Err(sweep.open.not_computed(at)),
        Some(ObjectiveError::Condition(condition)) => {
            return Err(condition_without_answer(condition, output));
        }
        None => {}
    }
    whole.tried.sort_by_key(|one| (one.profile, one.combination));
    say_invalid(&whole, sweep, output)?;
    let TriedPolicies { tried, left_out, invalid, .. } = whole;
    Ok((tried, Counts { policies, left_out, invalid, ..Counts::default() }))
}

/// Tries policies, of which `next` is the next that no thread has taken, until there are none or one can't be tried.
fn try_some<'s>(
    sweep: &'s RecordedSweep<'_>,
    next: &AtomicUsize,
    done: &mpsc::Sender<Result<TriedPolicies, ObjectiveError<'s>>>,
) {
    let policies = sweep.open.policies();
    let mut trial = Trial::new(&sweep.recordings.trajectories, &sweep.goals);
    loop {
        let from = next.fetch_add(CHUNK, Ordering::Relaxed);
        let chunk = from..from.saturating_add(CHUNK).min(policies);
        if chunk.is_empty() {
            return;
        }
        let findings = TriedPolicies::of(chunk, sweep, &mut trial);
        if findings.is_err() {
            // The others need not continue.
            next.store(policies, Ordering::Relaxed);
        }
        let _ = done.send(findings);
    }
}

impl TriedPolicies {
    fn of<'s>(
        chunk: Range<usize>,
        sweep: &'s RecordedSweep<'_>,
        trial: &mut Trial<'_>,
    ) -> Result<Self, ObjectiveError<'s>> {
        let mut found = TriedPolicies::default();
        let RecordedSweep { open, recordings, split, .. } = sweep;
        for number in chunk {
            let place = open.place(number);
            if !open.is_wanted(place).map_err(ObjectiveError::Condition)? {
                found.left_out += 1;
                continue;
            }
            let mut problems = Problems::new();
            let Some(candidate) = open.candidate(place, recordings.recorded.as_ref(), &mut problems) else {
                found.invalid += 1;
                found.first_invalid.get_or_insert((number, problems));
                continue;
            };
            let evaluation = trial.evaluate(&candidate, &split.train).map_err(ObjectiveError::NotComputed)?;
            found.tried.push(place.tried(evaluation));
        }
        Ok(found)
    }

    /// Adds those of other policies, and returns their number.
    fn add(&mut self, other: Self) -> usize {
        let number = other.tried.len() + other.left_out + other.invalid;
        self.tried.extend(other.tried);
        self.left_out += other.left_out;
        self.invalid += other.invalid;
        let first = |(number, _): &(usize, Problems)| *number;
        self.first_invalid =
            self.first_invalid.take().into_iter().chain(other.first_invalid).min_by_key(first);
        number
    }
}

/// Reports the problems of invalid policies: once, for the first. Refuses a space that has no other.
fn say_invalid(
    found: &TriedPolicies,
    sweep: &RecordedSweep<'_>,
    output: &mut Streams,
) -> Result<(), Failure> {
    let Some((number, problems)) = &found.first_invalid else { return Ok(()) };
    let (profile, settings) = sweep.open.named(sweep.open.place(*number));
    let settings: Vec<String> = settings.iter().map(|(key, value)| format!("{key}={value}")).collect();
    output.show(problems);
    let which = format!("the first one is {profile} {}", settings.join(" "));
    if found.tried.is_empty() {
        return Err(Failure::usage(format!("no policy of the space can be used; {which}")));
    }
    warn_of_invalid(found.invalid, &which, output);
    Ok(())
}
