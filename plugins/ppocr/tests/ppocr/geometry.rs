//! Rectangles around points, and the way to a picture and back.

use loopctl_ppocr::{PlanePoint, TextRegion};
use proptest::prelude::*;

fn point() -> impl Strategy<Value = PlanePoint> {
    (-500.0..500.0, -500.0..500.0).prop_map(|(x, y)| PlanePoint::new(x, y))
}

/// The smallest upright rectangle around these points when they are turned by an angle.
fn area_at(points: &[PlanePoint], angle: f64) -> f64 {
    let extent = |(x, y): (f64, f64)| {
        let places = points.iter().map(|point| point.x * x + point.y * y);
        places.clone().fold(f64::MIN, f64::max) - places.fold(f64::MAX, f64::min)
    };
    extent((angle.cos(), angle.sin())) * extent((-angle.sin(), angle.cos()))
}

fn is_near(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-6
}

proptest! {
    #[test]
    fn a_rectangle_around_points_holds_all_of_them(points in proptest::collection::vec(point(), 1..40)) {
        let region = TextRegion::around(points.clone()).unwrap();
        for point in points {
            let (along, across) = region.from_picture(point);
            prop_assert!((-1e-6..=region.length() + 1e-6).contains(&along), "{along} of {region:?}");
            prop_assert!((-1e-6..=region.thickness() + 1e-6).contains(&across), "{across} of {region:?}");
        }
    }

    /// No rectangle in any direction is smaller.
    #[test]
    fn a_rectangle_around_points_is_the_smallest(
        points in proptest::collection::vec(point(), 1..40),
        angle in 0.0..std::f64::consts::PI,
    ) {
        let region = TextRegion::around(points.clone()).unwrap();
        prop_assert!(region.area() <= area_at(&points, angle) + 1e-6, "{region:?}");
    }

    /// Text is read from left to right, so the direction is never further than 45 degrees from that.
    #[test]
    fn a_turned_rectangle_is_found_again(
        center in point(),
        (length, thickness) in (40.0..400.0, 2.0..30.0),
        degrees in -44.0..44.0_f64,
    ) {
        let (sine, cosine) = degrees.to_radians().sin_cos();
        let corner = |along: f64, across: f64| PlanePoint::new(
            center.x + along * length / 2.0 * cosine - across * thickness / 2.0 * sine,
            center.y + along * length / 2.0 * sine + across * thickness / 2.0 * cosine,
        );
        let corners = vec![corner(1.0, 1.0), corner(-1.0, 1.0), corner(1.0, -1.0), corner(-1.0, -1.0)];
        let region = TextRegion::around(corners.clone()).unwrap();
        prop_assert!(is_near(region.length(), length) && is_near(region.thickness(), thickness), "{region:?}");
        prop_assert!((region.direction().y.atan2(region.direction().x) - degrees.to_radians()).abs() < 1e-6);
        let [first, ..] = region.corners();
        prop_assert!(is_near(first.x, corners[3].x) && is_near(first.y, corners[3].y), "{first:?}");
    }

    #[test]
    fn the_way_to_the_picture_has_an_inverse(
        points in proptest::collection::vec(point(), 3..10),
        along in -50.0..500.0,
        across in -50.0..500.0,
        turns in 0..4_usize,
    ) {
        let mut region = TextRegion::around(points).unwrap();
        for _ in 0..turns {
            region = region.turned_left();
        }
        let (back_along, back_across) = region.from_picture(region.to_picture(along, across));
        prop_assert!(is_near(back_along, along) && is_near(back_across, across));
    }

    /// Growing moves each side by the distance, whatever the direction.
    #[test]
    fn a_grown_rectangle_is_larger_at_each_side(points in proptest::collection::vec(point(), 3..10), distance in 0.0..50.0) {
        let region = TextRegion::around(points).unwrap();
        let grown = region.grown(distance);
        for (corner, before) in grown.corners().into_iter().zip(region.corners()) {
            let (along, across) = region.from_picture(corner);
            let (old_along, old_across) = region.from_picture(before);
            prop_assert!(is_near((along - old_along).abs(), distance) && is_near((across - old_across).abs(), distance));
        }
    }

    #[test]
    fn four_turns_are_none_and_two_turn_around(points in proptest::collection::vec(point(), 3..10)) {
        let region = TextRegion::around(points).unwrap();
        let [first, second, third, fourth] = region.corners();
        let twice = region.turned_left().turned_left();
        let around = region.turned_around();
        for ((one, other), expected) in twice.corners().into_iter().zip(around.corners()).zip([third, fourth, first, second]) {
            prop_assert!(is_near(one.x, other.x) && is_near(one.y, other.y), "{one:?} {other:?}");
            prop_assert!(is_near(one.x, expected.x) && is_near(one.y, expected.y), "{one:?} {expected:?}");
        }
    }

    /// A part of a rectangle has its corners at the places that it is a part from and to.
    #[test]
    fn a_part_is_between_its_ends(points in proptest::collection::vec(point(), 3..10), from in 0.0..1.0, to in 0.0..1.0) {
        let region = TextRegion::around(points).unwrap();
        let (from, to) = (region.length() * f64::min(from, to), region.length() * f64::max(from, to));
        let [first, second, ..] = region.part((from, to), (0.0, region.thickness())).corners();
        prop_assert!(is_near(region.from_picture(first).0, from) && is_near(region.from_picture(second).0, to));
    }
}

#[test]
fn points_without_extent_are_a_rectangle_without_extent() {
    let region = TextRegion::around(vec![PlanePoint::new(3.0, 4.0); 5]).unwrap();
    assert!(region.area() == 0.0 && region.center() == PlanePoint::new(3.0, 4.0), "{region:?}");
    let not_finite = vec![PlanePoint::new(f64::NAN, 0.0), PlanePoint::new(0.0, f64::INFINITY)];
    assert_eq!(TextRegion::around(not_finite), None);
    assert_eq!(TextRegion::around(Vec::new()), None);
}
