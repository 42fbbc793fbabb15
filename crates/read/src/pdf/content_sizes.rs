//! Sizes of what a page's content makes a reader go through: its own operators, and those of the forms that it draws, as
//! often as it draws them. They are counted before anything is drawn: operators that draw nothing are seen by no device.

use super::super::file_text::Unread;
use super::bounded::{StepsLeft, give_up};
use super::inflation::inflated_size;
use super::object_chains::follow;
use hayro_interpret::CacheKey;
use hayro_interpret::hayro_syntax::content::UntypedIter;
use hayro_interpret::hayro_syntax::object::{Array, Dict, Name, Object, Stream};
use hayro_interpret::hayro_syntax::page::{Page as PdfPage, Resources};
use std::collections::{HashMap, HashSet};

/// The most bytes of one content stream, and of the program of a glyph.
const MOST_CONTENT: u64 = 128 << 20;
const MOST_PROGRAM: u64 = 2 << 20;
/// The most parts of a page's content.
const MOST_PARTS: usize = 10_000;
/// The largest number in the widths of a font: its characters are fewer, and none is as wide.
const MOST_WIDTH: f64 = 1_000_000.0;
/// The bytes of content that are a step: operators and their operands have some.
const STEP: u64 = 16;
/// The steps that drawing a form takes, besides its content.
const FORM_STEPS: u64 = 100;
/// The most forms in one another that are drawn.
const DEEPEST: usize = 50;
/// The bytes of a program that are part of the steps that each nested drawing takes.
const USUAL_PROGRAM: u64 = 4 << 10;

/// The steps for a byte of a mesh of colours.
const MESH_STEPS: u64 = 4;
/// The bytes of a function, deflated, that usual ones have.
const FUNCTION: u64 = 512;

/// The key of a content: its stream's, and that of the forms that its names mean.
type ContentKey = (u128, u128);

/// A content stream.
struct CountedContent {
    steps: u64,
    /// The forms that it draws, and how often each.
    drawn: Vec<(ContentKey, u64)>,
}

/// The contents of a document that were looked at.
#[derive(Default)]
pub(super) struct ContentSizes {
    contents: HashMap<ContentKey, CountedContent>,
    seen: HashSet<u128>,
    longest: LongestPrograms,
}

/// The steps of the longest contents that are drawn anew for each use, beyond the usual.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LongestPrograms {
    pub(super) glyph: u64,
    pub(super) pattern: u64,
    pub(super) mask: u64,
    /// The steps of the longest mesh of colours.
    pub(super) mesh: u64,
    /// The times that computing a colour takes as long as usual.
    pub(super) function: u64,
}

/// Contents to look at.
type Found<'a> = Vec<(ContentKey, Stream<'a>, Resources<'a>)>;

impl ContentSizes {
    /// Takes the steps of a page's content, and returns those of the longest contents that its drawing may use.
    pub(super) fn take(&mut self, page: &PdfPage<'_>, steps: &mut StepsLeft) -> LongestPrograms {
        steps.take(page_size(page) / STEP);
        let mut open = vec![page.resources().clone()];
        let drawn = match (holds_forms(page.resources(), steps), page.page_stream()) {
            (true, Some(content)) => {
                let (drawn, found) = drawn_forms(content, page.resources());
                self.look_at(found, &mut open, steps);
                drawn
            }
            (_, _) => Vec::new(),
        };
        self.look_through(open, steps);
        let mut totals = HashMap::new();
        for (form, times) in drawn {
            steps.take(self.total(form, 1, &mut totals).saturating_mul(times));
        }
        self.longest
    }

    /// Looks at contents and those that they draw, and notes their resources.
    fn look_at<'a>(&mut self, mut found: Found<'a>, open: &mut Vec<Resources<'a>>, steps: &mut StepsLeft) {
        while let Some((key, stream, resources)) = found.pop() {
            if self.contents.contains_key(&key) {
                continue;
            }
            let size = inflated_size(&stream, MOST_CONTENT).unwrap_or_else(|| give_up(Unread::TooMuchWork));
            let mut content = CountedContent { steps: FORM_STEPS + size / STEP, drawn: Vec::new() };
            if holds_forms(&resources, steps)
                && let Ok(data) = stream.decoded_data()
            {
                steps.take(size / STEP);
                let (drawn, more) = drawn_forms(&data, &resources);
                content.drawn = drawn;
                found.extend(more);
            }
            open.push(resources);
            self.contents.insert(key, content);
        }
    }

    /// The steps of a form at a depth, with those of the forms that it draws.
    fn total(&self, form: ContentKey, depth: usize, totals: &mut HashMap<(ContentKey, usize), u64>) -> u64 {
        let Some(content) = self.contents.get(&form).filter(|_| depth <= DEEPEST) else { return 0 };
        if let Some(known) = totals.get(&(form, depth)) {
            return *known;
        }
        let inner = content
            .drawn
            .iter()
            .map(|(inner, times)| self.total(*inner, depth + 1, totals).saturating_mul(*times));
        let total = inner.fold(content.steps, u64::saturating_add);
        totals.insert((form, depth), total);
        total
    }

    /// Looks at what resources draw anew for each use: glyphs of Type 3 fonts, patterns, masks.
    fn look_through<'a>(&mut self, mut open: Vec<Resources<'a>>, steps: &mut StepsLeft) {
        while let Some(resources) = open.pop() {
            if !self.seen.insert(resources.cache_key()) {
                continue;
            }
            for (name, _) in resources.fonts.entries() {
                steps.take(1);
                if let Some(font) = resources.fonts.get::<Dict<'_>>(&name)
                    && self.seen.insert(font.cache_key())
                {
                    check_widths(&font);
                    if let Some(programs) = font.get::<Dict<'_>>(b"CharProcs") {
                        self.glyphs(&programs);
                        open.extend(font.get::<Dict<'_>>(b"Resources").map(Resources::new));
                    }
                }
            }
            self.follow(&resources, steps);
            let mut drawn: Vec<(Stream<'a>, bool)> = Vec::new();
            for (name, _) in resources.patterns.entries() {
                steps.take(1);
                drawn.extend(resources.patterns.get::<Stream<'_>>(&name).map(|pattern| (pattern, true)));
            }
            for (name, _) in resources.ext_g_states.entries() {
                steps.take(1);
                let state = resources.ext_g_states.get::<Dict<'_>>(&name);
                let mask = state.and_then(|state| state.get::<Dict<'_>>(b"SMask"));
                drawn.extend(mask.and_then(|mask| mask.get::<Stream<'_>>(b"G")).map(|group| (group, false)));
            }
            for (stream, is_pattern) in drawn {
                if !self.seen.insert(stream.cache_key()) {
                    continue;
                }
                let own = own_resources(&stream, &resources);
                let key = (stream.cache_key(), own.x_objects.cache_key());
                self.look_at(vec![(key, stream, own)], &mut open, steps);
                let extra = self.total(key, 1, &mut HashMap::new()).saturating_sub(USUAL_PROGRAM / STEP);
                let longest = if is_pattern { &mut self.longest.pattern } else { &mut self.longest.mask };
                *longest = extra.max(*longest);
            }
        }
    }

    /// Follows what colours, shadings, patterns, states and images are made from.
    fn follow(&mut self, resources: &Resources<'_>, steps: &mut StepsLeft) {
        let made = [
            &resources.color_spaces,
            &resources.shadings,
            &resources.patterns,
            &resources.ext_g_states,
            &resources.x_objects,
        ];
        for (name, _) in resources.shadings.entries() {
            if let Some(mesh) = resources.shadings.get::<Stream<'_>>(&name) {
                let size = inflated_size(&mesh, MOST_CONTENT).unwrap_or_else(|| give_up(Unread::TooMuchWork));
                self.longest.mesh = size.saturating_mul(MESH_STEPS).max(self.longest.mesh);
            }
        }
        for dict in made {
            for (name, _) in dict.entries() {
                if let Some(object) = dict.get::<Object<'_>>(&name) {
                    let function = follow(object, steps) / FUNCTION;
                    self.longest.function = function.max(self.longest.function);
                }
            }
        }
    }

    fn glyphs(&mut self, programs: &Dict<'_>) {
        for (name, _) in programs.entries() {
            if let Some(program) = programs.get::<Stream<'_>>(&name) {
                let size =
                    inflated_size(&program, MOST_PROGRAM).unwrap_or_else(|| give_up(Unread::TooMuchWork));
                self.longest.glyph = (size.saturating_sub(USUAL_PROGRAM) / STEP).max(self.longest.glyph);
            }
        }
    }
}

/// The bytes of a page's content; the reading is given up if they are too many.
fn page_size(page: &PdfPage<'_>) -> u64 {
    let mut known: HashMap<u128, u64> = HashMap::new();
    let mut size_of = |stream: &Stream<'_>| {
        *known.entry(stream.cache_key()).or_insert_with(|| {
            inflated_size(stream, MOST_CONTENT).unwrap_or_else(|| give_up(Unread::TooMuchWork))
        })
    };
    let size = match page.raw().get::<Object<'_>>(b"Contents") {
        Some(Object::Stream(one)) => size_of(&one),
        Some(Object::Array(several)) => {
            if several.raw_iter().nth(MOST_PARTS).is_some() {
                give_up(Unread::TooMuchWork);
            }
            several.iter::<Stream<'_>>().map(|one| size_of(&one)).fold(0, u64::saturating_add)
        }
        _ => 0,
    };
    if size > MOST_CONTENT { give_up(Unread::TooMuchWork) } else { size }
}

fn holds_forms(resources: &Resources<'_>, steps: &mut StepsLeft) -> bool {
    resources.x_objects.entries().any(|(name, _)| {
        steps.take(1);
        resources.x_objects.get::<Stream<'_>>(&name).is_some_and(|stream| is_form(&stream))
    })
}

/// Gives the reading up if a font has widths for more characters than there are.
fn check_widths(font: &Dict<'_>) {
    let parts = font.get::<Array<'_>>(b"DescendantFonts");
    for part in parts.iter().flat_map(|parts| parts.iter::<Dict<'_>>()) {
        for widths in [b"W".as_slice(), b"W2"].into_iter().filter_map(|key| part.get::<Array<'_>>(key)) {
            let is_beyond = |width: Object<'_>| match width {
                Object::Number(number) => number.as_f64().abs() > MOST_WIDTH,
                _ => false,
            };
            if widths.iter::<Object<'_>>().any(is_beyond) {
                give_up(Unread::TooMuchWork);
            }
        }
    }
}

/// The resources of a content, or those of the content that draws it.
fn own_resources<'a>(stream: &Stream<'a>, outer: &Resources<'a>) -> Resources<'a> {
    stream.dict().get::<Dict<'_>>(b"Resources").map_or_else(|| outer.clone(), Resources::new)
}

fn is_form(stream: &Stream<'_>) -> bool {
    stream.dict().get::<Name<'_>>(b"Subtype").is_some_and(|kind| kind.as_ref() == b"Form")
}

/// The forms that a content draws, and how often each; and the forms themselves.
fn drawn_forms<'a>(content: &[u8], resources: &Resources<'a>) -> (Vec<(ContentKey, u64)>, Found<'a>) {
    let mut names: HashMap<Vec<u8>, u64> = HashMap::new();
    let mut operators = UntypedIter::new(content);
    while let Some(operator) = operators.next() {
        if &**operator.operator == b"Do"
            && let Some(Object::Name(name)) = operator.operands().last()
        {
            *names.entry(name.to_vec()).or_default() += 1;
        }
    }
    let (mut drawn, mut found) = (Vec::new(), Vec::new());
    for (name, times) in names {
        let Some(form) = resources.x_objects.get::<Stream<'_>>(&name).filter(is_form) else { continue };
        let own = own_resources(&form, resources);
        let key = (form.cache_key(), own.x_objects.cache_key());
        drawn.push((key, times));
        found.push((key, form, own));
    }
    (drawn, found)
}
