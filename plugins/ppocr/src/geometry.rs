//! Points, and rectangles that are turned in any way.

/// A point of a picture: `x` to the right and `y` down, from the top left corner of the first pixel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlanePoint {
    /// To the right.
    pub x: f64,
    /// Down.
    pub y: f64,
}

impl PlanePoint {
    /// The point at this place.
    #[must_use]
    pub fn new(x: f64, y: f64) -> Self {
        PlanePoint { x, y }
    }

    fn moved(self, by: PlanePoint, distance: f64) -> Self {
        PlanePoint { x: self.x + by.x * distance, y: self.y + by.y * distance }
    }

    fn dot(self, other: PlanePoint) -> f64 {
        self.x * other.x + self.y * other.y
    }

    /// The direction a quarter to the right of this one, as seen in a picture.
    fn quarter_right(self) -> Self {
        PlanePoint { x: -self.y, y: self.x }
    }
}

/// A rectangle with a direction, in which its text is read. It is its own map: lengths along the text and across it are
/// places of the picture, and back.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TextRegion {
    center: PlanePoint,
    /// The direction of reading, of length 1.
    along: PlanePoint,
    length: f64,
    thickness: f64,
}

impl TextRegion {
    /// The upright rectangle from the top left corner of a picture.
    #[must_use]
    pub fn upright(left: f64, top: f64, width: f64, height: f64) -> Self {
        TextRegion {
            center: PlanePoint::new(left + width / 2.0, top + height / 2.0),
            along: PlanePoint::new(1.0, 0.0),
            length: width,
            thickness: height,
        }
    }

    /// The rectangle of the smallest area around points, read from left to right; `None` without points.
    #[must_use]
    pub fn around(points: Vec<PlanePoint>) -> Option<Self> {
        let hull = convex_hull(points);
        let (first, last) = (*hull.first()?, *hull.last()?);
        let mut best: Option<TextRegion> = None;
        let ends = hull.iter().skip(1).chain([&first]);
        let edges = hull.iter().zip(ends).map(|(from, to)| PlanePoint::new(to.x - from.x, to.y - from.y));
        for edge in edges.chain([PlanePoint::new(1.0, 0.0)]) {
            let Some(along) = level(edge) else { continue };
            let region = bounds(&hull, along);
            if best.is_none_or(|best| region.area() < best.area() - 1e-9) {
                best = Some(region);
            }
        }
        best.or_else(|| Some(TextRegion::upright(last.x, last.y, 0.0, 0.0)))
    }

    /// The middle.
    #[must_use]
    pub fn center(&self) -> PlanePoint {
        self.center
    }

    /// The direction of reading, of length 1.
    #[must_use]
    pub fn direction(&self) -> PlanePoint {
        self.along
    }

    /// The extent along the text.
    #[must_use]
    pub fn length(&self) -> f64 {
        self.length
    }

    /// The extent across the text.
    #[must_use]
    pub fn thickness(&self) -> f64 {
        self.thickness
    }

    /// The area.
    #[must_use]
    pub fn area(&self) -> f64 {
        self.length * self.thickness
    }

    /// The place in the picture of a point of this rectangle: `along` from where the text begins, `across` from its top.
    #[must_use]
    pub fn to_picture(&self, along: f64, across: f64) -> PlanePoint {
        self.center
            .moved(self.along, along - self.length / 2.0)
            .moved(self.along.quarter_right(), across - self.thickness / 2.0)
    }

    /// The lengths along and across the text of a place in the picture: the inverse of [`TextRegion::to_picture`].
    #[must_use]
    pub fn from_picture(&self, place: PlanePoint) -> (f64, f64) {
        let from_center = PlanePoint::new(place.x - self.center.x, place.y - self.center.y);
        (
            from_center.dot(self.along) + self.length / 2.0,
            from_center.dot(self.along.quarter_right()) + self.thickness / 2.0,
        )
    }

    /// The corners, from where the text begins at its top, to the right as seen by a reader.
    #[must_use]
    pub fn corners(&self) -> [PlanePoint; 4] {
        let (length, thickness) = (self.length, self.thickness);
        [(0.0, 0.0), (length, 0.0), (length, thickness), (0.0, thickness)]
            .map(|(along, across)| self.to_picture(along, across))
    }

    /// The part between two lengths along the text and two across it.
    #[must_use]
    pub fn part(&self, along: (f64, f64), across: (f64, f64)) -> Self {
        TextRegion {
            center: self.to_picture((along.0 + along.1) / 2.0, (across.0 + across.1) / 2.0),
            along: self.along,
            length: along.1 - along.0,
            thickness: across.1 - across.0,
        }
    }

    /// The rectangle whose sides are this far outside of those of this one.
    #[must_use]
    pub fn grown(&self, distance: f64) -> Self {
        TextRegion {
            length: self.length + 2.0 * distance,
            thickness: self.thickness + 2.0 * distance,
            ..*self
        }
    }

    /// The rectangle, moved.
    #[must_use]
    pub fn moved(&self, right: f64, down: f64) -> Self {
        TextRegion { center: PlanePoint::new(self.center.x + right, self.center.y + down), ..*self }
    }

    /// The rectangle in a picture that is so many times as large.
    #[must_use]
    pub fn scaled(&self, times: f64) -> Self {
        TextRegion {
            center: PlanePoint::new(self.center.x * times, self.center.y * times),
            along: self.along,
            length: self.length * times,
            thickness: self.thickness * times,
        }
    }

    /// This rectangle, read from the side that is at its left: its text goes up where it went to the right.
    #[must_use]
    pub fn turned_left(&self) -> Self {
        let right = self.along.quarter_right();
        TextRegion {
            center: self.center,
            along: PlanePoint::new(-right.x, -right.y),
            length: self.thickness,
            thickness: self.length,
        }
    }

    /// This rectangle, read from its other end.
    #[must_use]
    pub fn turned_around(&self) -> Self {
        TextRegion { along: PlanePoint::new(-self.along.x, -self.along.y), ..*self }
    }
}

/// The direction of an edge or the one across it, whichever is nearer to that of a line that is read from left to right;
/// `None` for an edge without length.
fn level(edge: PlanePoint) -> Option<PlanePoint> {
    let length = edge.x.hypot(edge.y);
    if !(length.is_finite() && length > 1e-9) {
        return None;
    }
    let along = PlanePoint::new(edge.x / length, edge.y / length);
    let along = if along.x.abs() >= along.y.abs() { along } else { along.quarter_right() };
    Some(if along.x < 0.0 { PlanePoint::new(-along.x, -along.y) } else { along })
}

/// The rectangle around points that has this direction.
fn bounds(points: &[PlanePoint], along: PlanePoint) -> TextRegion {
    let across = along.quarter_right();
    let extent = |direction: PlanePoint| {
        points
            .iter()
            .map(|point| point.dot(direction))
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), at| (least.min(at), most.max(at)))
    };
    let ((left, right), (top, bottom)) = (extent(along), extent(across));
    let origin = PlanePoint::new(0.0, 0.0);
    TextRegion {
        center: origin.moved(along, (left + right) / 2.0).moved(across, (top + bottom) / 2.0),
        along,
        length: right - left,
        thickness: bottom - top,
    }
}

/// The corners of the convex hull, in order around it.
fn convex_hull(mut points: Vec<PlanePoint>) -> Vec<PlanePoint> {
    points.retain(|point| point.x.is_finite() && point.y.is_finite());
    points.sort_by(|one, other| one.x.total_cmp(&other.x).then(one.y.total_cmp(&other.y)));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let mut hull = half_hull(points.iter().copied());
    hull.pop();
    let back = half_hull(points.iter().rev().copied());
    let keep = back.len() - 1;
    hull.extend(back.into_iter().take(keep));
    hull
}

/// The corners of the hull at one side of sorted points.
fn half_hull(points: impl Iterator<Item = PlanePoint>) -> Vec<PlanePoint> {
    let mut hull: Vec<PlanePoint> = Vec::new();
    for point in points {
        while let [.., before, last] = hull.as_slice() {
            let turn =
                (last.x - before.x) * (point.y - before.y) - (last.y - before.y) * (point.x - before.x);
            if turn > 0.0 {
                break;
            }
            hull.pop();
        }
        hull.push(point);
    }
    hull
}
