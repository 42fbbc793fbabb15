//! The work of drawing a page, counted in steps before it is done: what draws pages can't be told to stop.

use super::bounded::StepsLeft;
use super::content_sizes::{ContentSizes, LongestPrograms};
use super::image_size::pixels;
use hayro_interpret::font::{Glyph, GlyphRun};
use hayro_interpret::hayro_syntax::object::{Array, Dict};
use hayro_interpret::hayro_syntax::page::Page as PdfPage;
use hayro_interpret::kurbo::{BezPath, PathEl, Point, Rect, Shape};
use hayro_interpret::pattern::{Pattern, TilingPattern};
use hayro_interpret::{
    BlendMode, CacheKey, ClipPath, Device, DrawMode, DrawProps, Image, ImageDrawProps, Paint, SoftMask,
    StrokeProps,
};
use std::collections::{HashMap, HashSet};

/// The steps of a clip, a group, an image, a glyph that is drawn by a program of its own, a pattern.
const PREPARED: u64 = 200;
/// The pixels that are a step where each is filled, is computed, or is decoded.
const FILLED: f64 = 64.0;
const COMPUTED: f64 = 4.0;
const DECODED: u64 = 16;
/// The bytes of a layer in the list of those that are on or off.
const BYTES_OF_LAYER: u64 = 8;
/// The steps of a point of a line that is stroked.
const STROKED: u64 = 4;

/// The work of drawing a document.
pub(super) struct DrawingWork {
    steps: StepsLeft,
    contents: ContentSizes,
    /// The steps of patterns and glyphs that were looked at.
    known: HashMap<u128, u64>,
    /// The steps of the list of layers, which each nested drawing reads; `None` before the first page.
    layers: Option<u64>,
}

/// The work of drawing a page: a device that draws nothing.
pub(super) struct PageWork<'w> {
    work: &'w mut DrawingWork,
    page: Rect,
    /// Pixels for a point of the page.
    scale: f64,
    longest: LongestPrograms,
    /// Masks that are drawn already: they are kept for their page.
    masks: HashSet<u128>,
}

impl DrawingWork {
    /// The work of a document with so many pages.
    pub(super) fn of_pages(pages: usize) -> Self {
        DrawingWork {
            steps: StepsLeft::of_pages(pages),
            contents: ContentSizes::default(),
            known: HashMap::new(),
            layers: None,
        }
    }

    /// The work of a page with these bounds, to be drawn with so many pixels for a point. Takes the steps of its content.
    pub(super) fn on(&mut self, page: &PdfPage<'_>, bounds: Rect, scale: f64) -> PageWork<'_> {
        let mut longest = self.contents.take(page, &mut self.steps);
        let layers = *self.layers.get_or_insert_with(|| layer_steps(page));
        for nested in [&mut longest.glyph, &mut longest.pattern, &mut longest.mask] {
            *nested = nested.saturating_add(layers);
        }
        PageWork { work: self, page: bounds, scale, longest, masks: HashSet::new() }
    }
}

impl PageWork<'_> {
    /// The place of the page.
    pub(super) fn page(&self) -> Rect {
        self.page
    }

    /// Takes steps.
    pub(super) fn take(&mut self, steps: u64) {
        self.work.steps.take(steps);
    }

    /// Takes a step for so many pixels of a place on the page.
    fn take_pixels(&mut self, place: Rect, of_step: f64) {
        let seen = place.intersect(self.page);
        let area = seen.width().max(0.0) * seen.height().max(0.0) * self.scale * self.scale;
        self.take(steps(area / of_step));
    }

    /// Takes the steps of what is known by this key, or counts them, and takes them so many times.
    fn take_known(&mut self, key: u128, times: u64, count: impl FnOnce(&mut Self)) {
        let known = self.work.known.get(&key).copied();
        let own = known.unwrap_or_else(|| {
            let before = self.work.steps.count();
            count(self);
            let own = before - self.work.steps.count();
            self.work.known.insert(key, own);
            own
        });
        let counted = u64::from(known.is_none());
        self.take(own.saturating_mul(times.saturating_sub(counted)));
    }

    fn mask(&mut self, mask: &SoftMask<'_>) {
        if self.masks.insert(mask.cache_key()) {
            self.take(PREPARED + self.longest.mask);
            self.take_pixels(self.page, FILLED);
            mask.interpret(self);
        }
    }

    fn props(&mut self, props: &DrawProps<'_>, bounds: impl Fn() -> Rect, is_stroke: bool) {
        if let Some(mask) = &props.soft_mask {
            self.mask(mask);
        }
        let Paint::Pattern(pattern) = &props.paint else { return };
        let place = props.transform.transform_rect_bbox(bounds());
        match &**pattern {
            Pattern::Shading(_) => {
                self.take(self.longest.mesh);
                let times = u32::try_from(self.longest.function).unwrap_or(u32::MAX);
                self.take_pixels(place, COMPUTED / (1.0 + f64::from(times)));
            }
            Pattern::Tiling(tiling) => self.tiling(tiling, place, is_stroke),
        }
    }

    fn tiling(&mut self, tiling: &TilingPattern<'_>, place: Rect, is_stroke: bool) {
        let seen = place.intersect(self.page);
        let area = tiling.matrix.inverse().transform_rect_bbox(seen);
        let cell = tiling.bbox;
        let across = copies((cell.x0, cell.x1), tiling.x_step, (area.x0, area.x1));
        let down = copies((cell.y0, cell.y1), tiling.y_step, (area.y0, area.y1));
        self.take_pixels(seen, FILLED);
        self.take_known(tiling.cache_key(), across.saturating_mul(down).max(1), |work| {
            work.take(PREPARED + work.longest.pattern);
            tiling.interpret(work, tiling.matrix, is_stroke);
        });
    }

    fn path(&mut self, path: &BezPath, mode: &DrawMode) {
        let points = count(path.elements().len()) + 1;
        match mode {
            DrawMode::Fill(_) => self.take(points),
            DrawMode::Stroke(stroke) => self.stroke(path, points, stroke),
            DrawMode::FillAndStroke(_, stroke) => {
                self.take(points);
                self.stroke(path, points, stroke);
            }
            DrawMode::Invisible => self.take(1),
        }
    }

    fn stroke(&mut self, path: &BezPath, points: u64, stroke: &StrokeProps) {
        self.take(points.saturating_mul(STROKED));
        let period: f32 = stroke.dash_array.iter().sum();
        if !stroke.dash_array.is_empty() {
            let dashes = length(path) / f64::from(period).max(f64::EPSILON);
            let parts = dashes * f64::from(u32::try_from(stroke.dash_array.len()).unwrap_or(u32::MAX));
            self.take(steps(parts).saturating_mul(STROKED));
        }
    }
}

/// The steps of reading the lists of a file's layers.
fn layer_steps(page: &PdfPage<'_>) -> u64 {
    let xref = page.xref();
    let catalog = xref.get::<Dict<'_>>(xref.root_id());
    let settings = catalog
        .and_then(|catalog| catalog.get::<Dict<'_>>(b"OCProperties"))
        .and_then(|layers| layers.get::<Dict<'_>>(b"D"));
    let lists = [b"OFF".as_slice(), b"ON"].into_iter().filter_map(|name| {
        let list = settings.as_ref()?.get::<Array<'_>>(name)?;
        Some(count(list.data().len()) / BYTES_OF_LAYER)
    });
    lists.sum()
}

/// The copies of a cell in one direction, as they are drawn for an area.
fn copies(cell: (f64, f64), step: f32, area: (f64, f64)) -> u64 {
    let step = f64::from(step.abs()).max(f64::EPSILON);
    let visible = (area.1 - area.0).max(0.0);
    let reach = cell.1 - cell.0;
    steps(if visible >= step { (reach / step).ceil() } else { (visible + reach) / step + 1.0 })
}

/// The length of a path whose curves are straight.
fn length(path: &BezPath) -> f64 {
    let (mut length, mut last, mut start) = (0.0, Point::ZERO, Point::ZERO);
    for element in path.elements() {
        let to = match element {
            PathEl::MoveTo(to) => {
                (last, start) = (*to, *to);
                continue;
            }
            PathEl::LineTo(to) | PathEl::QuadTo(_, to) | PathEl::CurveTo(_, _, to) => *to,
            PathEl::ClosePath => start,
        };
        length += (to - last).hypot();
        last = to;
    }
    length
}

/// A number of steps; the most there are for one that is none.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
fn steps(number: f64) -> u64 {
    if number.is_nan() { u64::MAX } else { number.ceil().max(0.0) as u64 }
}

fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

impl<'a> Device<'a> for PageWork<'_> {
    fn draw_path(&mut self, path: &BezPath, props: DrawProps<'a>, mode: &DrawMode) {
        self.path(path, mode);
        self.props(&props, || path.bounding_box(), matches!(mode, DrawMode::Stroke(_)));
    }

    fn draw_rect(&mut self, rect: &Rect, props: DrawProps<'a>, mode: &DrawMode) {
        match mode {
            DrawMode::Fill(_) | DrawMode::Invisible => self.take(1),
            DrawMode::Stroke(_) | DrawMode::FillAndStroke(..) => self.path(&rect.to_path(0.1), mode),
        }
        self.props(&props, || *rect, matches!(mode, DrawMode::Stroke(_)));
    }

    fn push_clip_path(&mut self, clip: &ClipPath) {
        self.take(count(clip.path.elements().len()) + PREPARED);
    }

    fn push_clip_rect(&mut self, _: &Rect) {
        self.take(PREPARED);
    }

    fn push_transparency_group(&mut self, _: f32, mask: Option<SoftMask<'a>>, _: BlendMode) {
        self.take(PREPARED);
        if let Some(mask) = &mask {
            self.mask(mask);
        }
    }

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, mode: &DrawMode) {
        let each = match mode {
            DrawMode::Fill(_) | DrawMode::Invisible => 1,
            DrawMode::Stroke(_) | DrawMode::FillAndStroke(..) => PREPARED,
        };
        self.take(count(run.glyphs().len()).saturating_mul(each) + 1);
        // Glyphs with a pattern are as large as the page at most.
        let page = self.page;
        self.props(&props, || props.transform.inverse().transform_rect_bbox(page), false);
        for glyph in run.glyphs() {
            match &**glyph {
                Glyph::Outline(_) => {}
                Glyph::Type3(drawn) => self.take_known(drawn.cache_key(), 1, |work| {
                    work.take(PREPARED + work.longest.glyph);
                    drawn.interpret(work, props.transform, glyph.transform(), &props.paint);
                }),
            }
        }
    }

    fn draw_image(&mut self, image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        self.take(PREPARED);
        let stream = match &image {
            Image::Raster(raster) => raster.stream(),
            Image::Stencil(stencil) => stencil.stream(),
        };
        self.take_known(stream.cache_key(), 1, |work| work.take(pixels(stream) / DECODED));
        if let Some(mask) = &props.soft_mask {
            self.mask(mask);
        }
    }

    fn pop_clip(&mut self) {}

    fn pop_transparency_group(&mut self) {}
}
