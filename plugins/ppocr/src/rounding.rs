//! Conversions between measures and counts of pixels. They saturate: a measure that is not a number counts nothing.

/// The whole pixels below a measure.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates, which is meant")]
pub(crate) fn floor(measure: f64) -> usize {
    measure.floor() as usize
}

/// The pixels that a measure touches.
pub(crate) fn ceil(measure: f64) -> usize {
    floor(measure.ceil())
}

/// The pixels that a measure is nearest to.
pub(crate) fn round(measure: f64) -> usize {
    floor(measure.round())
}

/// The pixel of a coordinate, which may be outside of the picture.
#[expect(clippy::cast_possible_truncation, reason = "saturates, which is meant")]
pub(crate) fn pixel(coordinate: f64) -> i64 {
    coordinate.floor() as i64
}

/// The sample that a brightness between 0 and 255 is nearest to.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates, which is meant")]
pub(crate) fn sample(brightness: f32) -> u8 {
    brightness.round() as u8
}

/// The measure of a count of pixels.
#[expect(clippy::cast_precision_loss, reason = "pictures have fewer pixels than 2^52")]
pub(crate) fn measure(count: usize) -> f64 {
    count as f64
}
