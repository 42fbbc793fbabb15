//! Steps: the work of the loops that could grow faster than a document, counted in tests, where a clock would say little.

#[cfg(test)]
thread_local! {
    static STEPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Counts some steps.
#[cfg(test)]
pub(crate) fn step(count: usize) {
    STEPS.with(|steps| steps.set(steps.get() + count));
}

/// Counts nothing outside of tests.
#[cfg(not(test))]
#[inline]
pub(crate) fn step(_: usize) {}

/// The steps that something takes.
#[cfg(test)]
pub(crate) fn steps_of(work: impl FnOnce()) -> usize {
    STEPS.with(|steps| steps.set(0));
    work();
    STEPS.with(std::cell::Cell::get)
}
