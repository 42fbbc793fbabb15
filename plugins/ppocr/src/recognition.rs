//! Reads lines, in parallel, each the way up in which it reads best.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rten::ThreadPool;
use rten_tensor::prelude::*;

use crate::crop::LineCrop;
use crate::ctc::{ReadCharacter, mean_confidence, read_steps};
use crate::error::PpocrError;
use crate::geometry::TextRegion;
use crate::models::LoadedModel;
use crate::picture::RgbPicture;
use crate::rounding::measure;
use crate::words::{RecognizedWord, words_of};

/// A line that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct RecognizedLine {
    /// Its place in the picture, with the direction of reading.
    pub region: TextRegion,
    /// Its words.
    pub words: Vec<RecognizedWord>,
    /// The mean confidence of its characters, from 0 to 1.
    pub confidence: f64,
}

/// Lines that are higher than wide by this are read from bottom to top.
const UPRIGHT: f64 = 1.5;
/// Up to this a line that is higher than wide may be a single character.
const SINGLE_CHARACTER: f64 = 3.0;
/// Lines below this confidence may be the other way up.
const DOUBTFUL: f64 = 0.7;
/// The confidence by which another way up must be better.
const CLEARLY_BETTER: f64 = 0.1;
/// The lines of which is asked which way up all are, and their share of length to thickness.
const ASKED: usize = 3;
const USUAL_LINE: f64 = 8.0;
/// The confidence from which lines are surely the right way up.
const SURE: f64 = 0.9;

/// The model that reads lines, with its characters.
pub(crate) struct LineReader<'a> {
    pub(crate) model: &'a LoadedModel,
    pub(crate) characters: &'a [String],
    pub(crate) picture: &'a RgbPicture,
}

/// A line as it was cut out and read.
struct LineReading {
    crop: LineCrop,
    characters: Vec<ReadCharacter>,
    confidence: f64,
}

impl LineReading {
    fn line(&self) -> RecognizedLine {
        RecognizedLine {
            region: *self.crop.region(),
            words: words_of(&self.crop, &self.characters),
            confidence: self.confidence,
        }
    }
}

impl LineReader<'_> {
    /// Reads regions as they were found; lines without a word are left out.
    pub(crate) fn read_all(
        &self,
        regions: Vec<TextRegion>,
        pools: &[Arc<ThreadPool>],
    ) -> Result<Vec<RecognizedLine>, PpocrError> {
        let (upright, level): (Vec<_>, Vec<_>) =
            regions.into_iter().partition(|region| region.thickness() > UPRIGHT * region.length());
        let upright = upright.into_iter().map(|region| region.turned_left()).collect();
        let mut regions = self.right_way_up(level, pools)?;
        regions.extend(self.right_way_up(upright, pools)?);
        // The longest first, so that none is left when all others are done.
        regions.sort_by(|one, other| ratio(other).total_cmp(&ratio(one)));
        in_parallel(&regions, pools, |region, pool| {
            Ok(self
                .read_best(*region, pool)?
                .map(|reading| reading.line())
                .filter(|line| !line.words.is_empty()))
        })
    }

    /// Reads one region, as it is.
    pub(crate) fn read_one(
        &self,
        region: TextRegion,
        pool: &Arc<ThreadPool>,
    ) -> Result<Option<RecognizedLine>, PpocrError> {
        Ok(self.read(region, pool)?.map(|reading| reading.line()))
    }

    /// The regions, turned around if a few of them read better so.
    fn right_way_up(
        &self,
        regions: Vec<TextRegion>,
        pools: &[Arc<ThreadPool>],
    ) -> Result<Vec<TextRegion>, PpocrError> {
        let mut asked: Vec<TextRegion> =
            regions.iter().copied().filter(|region| ratio(region) >= 2.0).collect();
        asked.sort_by(|one, other| {
            (ratio(one) - USUAL_LINE).abs().total_cmp(&(ratio(other) - USUAL_LINE).abs())
        });
        asked.truncate(ASKED);
        let confidence = |asked: &[TextRegion]| {
            let read = in_parallel(asked, pools, |region, pool| {
                Ok(self.read(*region, pool)?.map(|reading| reading.confidence))
            })?;
            Ok::<f64, PpocrError>(read.iter().sum::<f64>() / measure(asked.len().max(1)))
        };
        let as_found = confidence(&asked)?;
        if asked.is_empty() || as_found >= SURE {
            return Ok(regions);
        }
        let around: Vec<TextRegion> = asked.iter().map(TextRegion::turned_around).collect();
        if confidence(&around)? > as_found + CLEARLY_BETTER {
            return Ok(regions.iter().map(TextRegion::turned_around).collect());
        }
        Ok(regions)
    }

    /// Reads a region; if that is doubtful, the other ways up, too.
    fn read_best(
        &self,
        region: TextRegion,
        pool: &Arc<ThreadPool>,
    ) -> Result<Option<LineReading>, PpocrError> {
        let mut best = self.read(region, pool)?;
        let is_upright = region.direction().x.abs() < region.direction().y.abs();
        let mut others = Vec::new();
        if is_upright && ratio(&region) < SINGLE_CHARACTER {
            others.push(region.turned_left().turned_around());
        }
        if best.as_ref().is_some_and(|best| best.confidence < DOUBTFUL) && ratio(&region) >= 2.0 {
            others.push(region.turned_around());
        }
        for other in others {
            let reading = self.read(other, pool)?;
            let confidence =
                |reading: &Option<LineReading>| reading.as_ref().map_or(0.0, |reading| reading.confidence);
            if confidence(&reading) > confidence(&best) + CLEARLY_BETTER {
                best = reading;
            }
        }
        Ok(best)
    }

    fn read(&self, region: TextRegion, pool: &Arc<ThreadPool>) -> Result<Option<LineReading>, PpocrError> {
        let Some(crop) = LineCrop::of(self.picture, region) else { return Ok(None) };
        let output = self.model.run(crop.input(), pool)?;
        if output.shape().last() != Some(&(self.characters.len() + 2)) {
            return Err(self.model.unexpected(output.shape()));
        }
        let characters = read_steps(&output.to_slice(), self.characters);
        let confidence = mean_confidence(&characters);
        Ok(Some(LineReading { crop, characters, confidence }))
    }
}

/// Length over thickness.
fn ratio(region: &TextRegion) -> f64 {
    region.length() / region.thickness().max(f64::MIN_POSITIVE)
}

/// The results of `work` for all items, in their order, each pool working on one at a time.
fn in_parallel<T: Sync, R: Send>(
    items: &[T],
    pools: &[Arc<ThreadPool>],
    work: impl Fn(&T, &Arc<ThreadPool>) -> Result<Option<R>, PpocrError> + Sync,
) -> Result<Vec<R>, PpocrError> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(items.len()));
    let worker = |pool: &Arc<ThreadPool>| {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { return Ok(()) };
            match work(item, pool) {
                Ok(None) => {}
                Ok(Some(result)) => done.lock().unwrap_or_else(PoisonError::into_inner).push((at, result)),
                Err(error) => {
                    next.store(items.len(), Ordering::Relaxed);
                    return Err(error);
                }
            }
        }
    };
    let failed = match pools {
        [pool] => worker(pool).err(),
        pools => std::thread::scope(|scope| {
            let started: Vec<_> = pools.iter().map(|pool| scope.spawn(|| worker(pool))).collect();
            let ended = started
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            // All are waited for.
            ended.filter_map(Result::err).reduce(|first, _| first)
        }),
    };
    match failed {
        Some(error) => Err(error),
        None => {
            let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
            done.sort_by_key(|(at, _)| *at);
            Ok(done.into_iter().map(|(_, result)| result).collect())
        }
    }
}
