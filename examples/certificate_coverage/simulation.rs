//! The rate at which certificates break their promise, on invented documents whose true share of wrong ones is known.

use loopctl::experiment::calibrate::{Against, Counts, Promise, Wealth, certified};

/// The confidence of every promise is 95 %.
pub(crate) const DELTA: f64 = 0.05;

/// Thresholds from 1.00 down to 0.80, as a profile has them that says nothing else.
pub(crate) fn grid() -> Vec<f64> {
    (0..=20).map(|k| f64::from(100 - k) / 100.0).collect()
}

/// SplitMix64 (Steele, Lea and Flood, 2014).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A number from 0 to 1, 1 excluded.
    pub(crate) fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Documents of one score: how many there are, and how many of these are wrong, as shares.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SimulatedCell {
    pub(crate) score: f64,
    pub(crate) mass: f64,
    pub(crate) risk: f64,
}

/// A stream of documents.
pub(crate) struct Model {
    pub(crate) name: &'static str,
    pub(crate) cells: Vec<SimulatedCell>,
}

/// One document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SimulatedDocument {
    pub(crate) score: f64,
    pub(crate) wrong: bool,
}

impl Model {
    fn new(name: &'static str, cells: Vec<(f64, f64, f64)>) -> Self {
        let all: f64 = cells.iter().map(|(_, mass, _)| mass).sum();
        let cell = |(score, mass, risk): (f64, f64, f64)| SimulatedCell { score, mass: mass / all, risk };
        Model { name, cells: cells.into_iter().map(cell).collect() }
    }

    /// The share of wrong documents among those that reach a threshold.
    pub(crate) fn risk(&self, threshold: f64) -> f64 {
        let reached = || self.cells.iter().filter(|cell| cell.score >= threshold - 1e-9);
        let mass: f64 = reached().map(|cell| cell.mass).sum();
        if mass == 0.0 { 0.0 } else { reached().map(|cell| cell.mass * cell.risk).sum::<f64>() / mass }
    }

    /// The share of documents that reach a threshold.
    pub(crate) fn coverage(&self, threshold: f64) -> f64 {
        self.cells.iter().filter(|cell| cell.score >= threshold - 1e-9).map(|cell| cell.mass).sum()
    }

    pub(crate) fn draw(&self, random: &mut Random) -> SimulatedDocument {
        let mut at = random.unit();
        let cell = self.cells.iter().find(|cell| {
            at -= cell.mass;
            at < 0.0
        });
        let cell = cell.or(self.cells.last()).copied().expect("a model has cells");
        SimulatedDocument { score: cell.score, wrong: random.unit() < cell.risk }
    }
}

/// Five ways in which scores and mistakes can go together, and how each is hard. `target` is the share that is promised.
pub(crate) fn models(target: f64) -> Vec<Model> {
    let logistic = |x: f64| 1.0 / (1.0 + (-x).exp());
    // A rubric with few fields: six scores, and many documents at each.
    let levels = [(1.0, 0.46), (0.97, 0.2), (0.93, 0.14), (0.9, 0.09), (0.84, 0.07), (0.7, 0.04)];
    let levels =
        levels.map(|(score, mass)| (score, mass, logistic((0.9 - score) * 45.0 - 1.5 + target.ln() * 0.7)));
    // Easy documents and hard ones, whose scores overlap: the score tells them apart badly.
    let mixture = (0..60).map(|k| {
        let score = 1.0 - 0.005 * f64::from(k);
        let easy = 0.75 * (-((score - 0.97) / 0.025).powi(2)).exp() / 9.0;
        let hard = 0.25 / 60.0;
        (score, easy + hard, (easy * target * 0.3 + hard * target * 9.0) / (easy + hard))
    });
    // Documents in which there is little to check have the highest scores, and are wrong most often.
    let confident =
        [(1.0, 0.1, 3.5), (0.98, 0.25, 0.35), (0.95, 0.25, 0.45), (0.9, 0.2, 1.6), (0.85, 0.2, 5.0)];
    let confident = confident.map(|(score, mass, times)| (score, mass, target * times));
    // The worst there is: everything that is certified is wrongly certified.
    let everywhere = (0..=20).map(|k| (1.0 - 0.01 * f64::from(k), 1.0, target * 1.001));
    // Few documents above, of which too many are wrong, make the share just too high below: where too few of them happen to be drawn,
    // the first test sees it too well.
    let hidden = [(1.0, 0.24, target * 2.0), (0.9, 0.26, target * 0.0785), (0.7, 0.5, target * 4.0)];
    vec![
        Model::new("six scores", levels.to_vec()),
        Model::new("easy and hard", mixture.collect()),
        Model::new("confidently wrong", confident.to_vec()),
        Model::new("too many everywhere", everywhere.collect()),
        Model::new("hidden above", hidden.to_vec()),
    ]
}

/// The outcome of many repetitions, as shares of them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SimulationOutcome {
    /// A threshold was certified at which more is wrong than was promised.
    pub(crate) broken: f64,
    /// A threshold was certified.
    pub(crate) found: f64,
    /// Documents that are accepted, on average.
    pub(crate) accepted: f64,
}

impl SimulationOutcome {
    fn add(&mut self, certified: Option<(f64, f64)>, target: f64, repetitions: u32) {
        let part = 1.0 / f64::from(repetitions);
        if let Some((risk, coverage)) = certified {
            self.found += part;
            self.accepted += part * coverage;
            self.broken += if risk > target + 1e-12 { part } else { 0.0 };
        }
    }
}

fn counts(documents: &[SimulatedDocument], threshold: f64, batch: Option<&[SimulatedDocument]>) -> Counts {
    let reached = |document: &&SimulatedDocument| document.score >= threshold - 1e-9;
    Counts {
        accepted: documents.iter().filter(reached).count() as u64,
        wrong: documents.iter().filter(reached).filter(|document| document.wrong).count() as u64,
        batch: batch.map(|batch| batch.iter().filter(reached).count() as u64),
    }
}

fn tested_once(
    promise: Promise,
    documents: &[SimulatedDocument],
    batch: Option<&[SimulatedDocument]>,
) -> Option<f64> {
    let grid = grid();
    let counts: Vec<Counts> = grid.iter().map(|threshold| counts(documents, *threshold, batch)).collect();
    certified(&promise.test_once(&counts, documents.len() as u64)).map(|place| grid[place])
}

/// One look at a sample of a stream.
pub(crate) fn once(
    model: &Model,
    target: f64,
    reviewed: u32,
    repetitions: u32,
    seed: u64,
) -> SimulationOutcome {
    let (mut random, mut outcome) = (Random(seed), SimulationOutcome::default());
    let promise = Promise { share: target, delta: DELTA };
    for _ in 0..repetitions {
        let documents: Vec<SimulatedDocument> = (0..reviewed).map(|_| model.draw(&mut random)).collect();
        let found = tested_once(promise, &documents, None);
        outcome.add(found.map(|at| (model.risk(at), model.coverage(at))), target, repetitions);
    }
    outcome
}

/// One look at samples of two document types, each with half of the chance to err: broken where either is.
pub(crate) fn two_types(
    pair: [&Model; 2],
    target: f64,
    reviewed: u32,
    repetitions: u32,
    seed: u64,
) -> SimulationOutcome {
    let (mut random, mut outcome) = (Random(seed), SimulationOutcome::default());
    let promise = Promise { share: target, delta: DELTA / 2.0 };
    for _ in 0..repetitions {
        let found = pair.map(|model| {
            let documents: Vec<SimulatedDocument> = (0..reviewed).map(|_| model.draw(&mut random)).collect();
            tested_once(promise, &documents, None).map(|at| (model.risk(at), model.coverage(at)))
        });
        let worst = found.into_iter().flatten().reduce(|a, b| (a.0.max(b.0), (a.1 + b.1) / 2.0));
        outcome.add(worst, target, repetitions);
    }
    outcome
}

/// A sample of one batch, certified for this batch alone: broken where more of its own accepted documents are wrong.
pub(crate) fn one_batch(
    model: &Model,
    target: f64,
    (batch, reviewed): (usize, usize),
    repetitions: u32,
    seed: u64,
) -> SimulationOutcome {
    let (mut random, mut outcome) = (Random(seed), SimulationOutcome::default());
    let promise = Promise { share: target, delta: DELTA };
    for _ in 0..repetitions {
        let mut documents: Vec<SimulatedDocument> = (0..batch).map(|_| model.draw(&mut random)).collect();
        for place in 0..reviewed {
            let other = place + (random.unit() * (batch - place) as f64) as usize;
            documents.swap(place, other);
        }
        let found = tested_once(promise, &documents[..reviewed], Some(&documents));
        let truth = |at: f64| {
            let all = counts(&documents, at, None);
            (all.wrong as f64 / all.accepted.max(1) as f64, all.accepted as f64 / batch as f64)
        };
        outcome.add(found.map(truth), target, repetitions);
    }
    outcome
}

/// A look after every document until something is certified, on a short grid.
pub(crate) fn any_time(
    model: &Model,
    target: f64,
    reviewed: u32,
    repetitions: u32,
    seed: u64,
) -> SimulationOutcome {
    let (mut random, mut outcome) = (Random(seed), SimulationOutcome::default());
    let promise = Promise { share: target, delta: DELTA };
    let grid = [0.95, 0.9, 0.85];
    for _ in 0..repetitions {
        let mut wealth = grid.map(|_| Wealth::new(Against::More, target));
        // What was certified at any look, the most lenient.
        let mut found = None;
        for _ in 0..reviewed {
            let document = model.draw(&mut random);
            for (threshold, wealth) in grid.iter().zip(&mut wealth) {
                if document.score >= threshold - 1e-9 {
                    wealth.add(document.wrong);
                }
            }
            let highest: Vec<f64> = wealth.iter().map(Wealth::highest).collect();
            found = found.max(certified(&promise.test_any_time(&highest)));
        }
        let worst = found.map(|place| {
            let risks = grid[..=place].iter().map(|at| model.risk(*at));
            (risks.fold(0.0, f64::max), model.coverage(grid[place]))
        });
        outcome.add(worst, target, repetitions);
    }
    outcome
}

/// The rate at which an audit of so many documents reports drift where exactly as many are wrong as was promised
/// (`broken`), and where `times` as many are (`found`).
pub(crate) fn audit(target: f64, times: f64, audited: u32, repetitions: u32, seed: u64) -> SimulationOutcome {
    let mut random = Random(seed);
    let mut said = |risk: f64| {
        let drifted = (0..repetitions).filter(|_| {
            let mut wealth = Wealth::new(Against::NoMore, target);
            (0..audited).for_each(|_| wealth.add(random.unit() < risk));
            wealth.highest() >= 1.0 / DELTA
        });
        drifted.count() as f64 / f64::from(repetitions)
    };
    SimulationOutcome { broken: said(target), found: said(target * times), accepted: 0.0 }
}
