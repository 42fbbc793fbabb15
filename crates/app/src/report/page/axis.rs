//! Axes: positions of numbers in a plot, and the numbers that are written at it.

/// A number at an axis.
#[derive(Debug)]
pub(in crate::report) struct Tick {
    pub(in crate::report) at: f64,
    pub(in crate::report) label: String,
}

/// An axis from a number to another one, between two positions.
#[derive(Debug, Clone, Copy)]
pub(in crate::report) struct Axis {
    numbers: [f64; 2],
    positions: [f64; 2],
}

impl Axis {
    /// An axis between two numbers, which differ.
    pub(in crate::report) fn new(numbers: [f64; 2], positions: [f64; 2]) -> Self {
        Axis { numbers, positions }
    }

    /// An axis over all of these numbers, with some space on both sides; `None` where they are all the same.
    pub(in crate::report) fn over(numbers: impl Iterator<Item = f64>, positions: [f64; 2]) -> Option<Self> {
        let (low, high) = numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), number| {
            (low.min(number), high.max(number))
        });
        let space = (high - low) * 0.06;
        (high > low).then_some(Axis { numbers: [low - space, high + space], positions })
    }

    /// The position of a number.
    pub(in crate::report) fn place(&self, number: f64) -> f64 {
        let ([low, high], [from, to]) = (self.numbers, self.positions);
        tenths(from + (number - low) / (high - low) * (to - from))
    }

    /// The ends of so many equal parts of it.
    pub(in crate::report) fn parts(&self, parts: u32, label: impl Fn(f64) -> String) -> Vec<Tick> {
        let [low, high] = self.numbers;
        let number = |at: u32| low + (high - low) * f64::from(at) / f64::from(parts);
        (0..=parts).map(number).map(|at| Tick { at: self.place(at), label: label(at) }).collect()
    }

    /// Up to five round numbers, for which there is room. `label` gets each with the number of decimals that it needs.
    pub(in crate::report) fn round(&self, label: impl Fn(f64, usize) -> String) -> Vec<Tick> {
        let [low, high] = self.numbers;
        let raw = (high - low) / 4.0;
        let unit = 10_f64.powf(raw.log10().floor());
        let step =
            [1.0, 2.0, 5.0, 10.0].into_iter().map(|of| of * unit).find(|step| *step >= raw).unwrap_or(raw);
        let first = (low / step).ceil();
        // Added to zero, which has no sign then.
        let numbers = (0..12).map(|at| 0.0 + (first + f64::from(at)) * step).take_while(|tick| *tick <= high);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 9")]
        let needed = (-step.log10().floor()).clamp(0.0, 9.0) as usize;
        numbers.map(|tick| Tick { at: self.place(tick), label: label(tick, needed) }).collect()
    }
}

/// A length with one decimal: pages stay short, and the same on every machine.
pub(in crate::report) fn tenths(length: f64) -> f64 {
    (length * 10.0).round() / 10.0
}

/// A share, with a decimal where it has one.
pub(in crate::report) fn percent_label(share: f64) -> String {
    let percent = (share * 1_000.0).round() / 10.0;
    if percent.fract() == 0.0 { format!("{percent:.0} %") } else { format!("{percent:.1} %") }
}
