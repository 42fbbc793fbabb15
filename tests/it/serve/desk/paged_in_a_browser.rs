//! The pages of a document on the desk, played in a real browser.

use super::super::browser::{Browser, ENTER};
use super::paged::{PAGES, REPORT};
use super::{Desk, JOURNAL};
use crate::workspace::Workspace;
use serde_json::json;

/// The widths of a phone, of a tablet and of a desk.
const SIZES: [(&str, (u32, u32)); 3] = [("phone", (400, 800)), ("tablet", (820, 1100)), ("wide", DESK)];
const DESK: (u32, u32) = (1440, 900);

/// Finds the ink of a page's picture within a box and in the gap around it, in shares of dark pixels. The box is in the
/// measures of the page, so that nothing of how it is shown counts.
const INK: &str = "
    const done = arguments[arguments.length - 1];
    (async () => {
      const rect = document.querySelector('.desk-place.chosen rect');
      const figure = rect.closest('.desk-page');
      const [, , width] = rect.ownerSVGElement.getAttribute('viewBox').split(' ').map(Number);
      const image = figure.querySelector('img');
      await image.decode();
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
      const drawn = canvas.getContext('2d');
      drawn.drawImage(image, 0, 0);
      const scale = image.naturalWidth / width;
      const box = rect.getBBox();
      const dark = (x, y, w, h) => {
        const { data } = drawn.getImageData(Math.round(x * scale), Math.round(y * scale), Math.max(1, Math.round(w * scale)), Math.max(1, Math.round(h * scale)));
        let count = 0;
        for (let at = 0; at < data.length; at += 4) count += data[at] < 128 ? 1 : 0;
        return count / (data.length / 4);
      };
      const gap = 3;
      done({
        inside: dark(box.x, box.y, box.width, box.height),
        above: dark(box.x, box.y - gap, box.width, gap),
        below: dark(box.x, box.y + box.height, box.width, gap),
      });
    })().catch((error) => done({ error: String(error) }));
";

/// Opens the document and goes to a field.
fn open(browser: &Browser, desk: &Desk, document: &str) {
    browser.open(&format!("http://{}/login#token={}", desk.server.address, desk.anna));
    browser.wait("location.pathname === '/'");
    browser.watch();
    browser.open(&format!("http://{}{}", desk.server.address, desk.address(document, "")));
    browser.wait("document.querySelector('.desk-field[aria-current]')");
}

fn go_to(browser: &Browser, field: &str) {
    let chosen = || browser.run("return document.querySelector('.desk-field[aria-current]').dataset.field");
    for key in ["k", "j"] {
        for _ in 0..40 {
            if chosen() == json!(field) {
                return;
            }
            browser.press(key);
        }
    }
    panic!("`{field}` is not reached");
}

fn said(browser: &Browser, text: &str) {
    browser.wait(&format!("document.querySelector('#said').textContent.includes({})", json!(text)));
}

/// Waits until the chosen passage is within what is seen of the pages, and its page is drawn.
fn seen(browser: &Browser, selector: &str) {
    browser.wait(&format!(
        "(() => {{ const [at, view] = [document.querySelector('{selector}'), document.querySelector('[data-view=pages]')].map((one) => one.getBoundingClientRect());
          return at.width > 0 && at.top >= view.top && at.bottom <= view.bottom && document.querySelector('{selector}').closest('.desk-page').querySelector('img').naturalWidth > 0; }})()"
    ));
}

#[test]
#[ignore = "long"]
fn a_reviewer_sees_the_pages_with_boxes_over_their_words() {
    let Some(browser) = Browser::start(&[]) else { return };
    let desk = Desk::of_pages(&PAGES);
    open(&browser, &desk, REPORT);
    // Both passages of a conflict, each on its page, told apart by more than colours.
    go_to(&browser, "margins");
    seen(&browser, ".desk-place.chosen");
    browser.wait("document.querySelector('#page-1[data-worded=placed]')");
    let legend = browser.run("return document.querySelector('.desk-legend').innerText.replace(/\\s+/g, '')");
    assert_eq!(legend, "saysthevaluepage1saysanothervaluepage3");
    for (name, size) in SIZES {
        browser.picture(&format!("pages-{name}"), size);
    }
    assert_eq!(browser.serious(), [""; 0]);
    let ink = browser.run_until_done(INK);
    assert!(ink["inside"].as_f64().unwrap() > 0.05, "{ink}");
    assert!(ink["above"].as_f64().unwrap() < 0.01 && ink["below"].as_f64().unwrap() < 0.01, "{ink}");
    browser.press("g");
    seen(&browser, ".desk-place.chosen");
    // The layer of words lies over them: the word that is under the middle of the box is the one it is round.
    let word = browser.run(
        "const at = document.querySelector('.desk-place.chosen rect').getBoundingClientRect();
         return document.elementsFromPoint(at.left + 0.15 * at.width, at.top + at.height / 2).find((one) => one.tagName === 'tspan')?.textContent",
    );
    assert!(word.as_str().is_some_and(|word| PAGES[0][5].contains(word)), "{word}");
    browser.run("document.querySelector('.desk-legend .rival button').click()");
    seen(&browser, ".desk-place.rival");
    said(&browser, "Page 3.");
    browser.picture("pages-rival", DESK);

    // Keys: larger, smaller, as wide as there is room; nothing of that is a decision.
    let width = || browser.run("return document.querySelector('.desk-page').offsetWidth").as_f64().unwrap();
    let usual = width();
    browser.press("++");
    said(&browser, "Pages at 150 %.");
    assert!((width() / usual - 1.5).abs() < 0.02, "{} of {usual}", width());
    browser.picture("pages-larger", DESK);
    browser.press("g");
    said(&browser, "The document says: ");
    seen(&browser, ".desk-place.chosen");
    browser.press("0-");
    said(&browser, "Pages at 75 %.");
    browser.press("0");
    said(&browser, "Pages at 100 %.");
    // A page that is turned keeps its boxes over its words.
    browser.press("t");
    said(&browser, "Page 1 is turned by 90 degrees.");
    let lies = "(() => { const at = document.querySelector('.desk-place.chosen rect').getBoundingClientRect(); return at.height > at.width; })()";
    browser.wait(lies);
    let inside = "(() => { const [box, page] = [document.querySelector('.desk-place.chosen rect'), document.querySelector('#page-1')].map((one) => one.getBoundingClientRect()); return box.left >= page.left && box.right <= page.right && box.top >= page.top && box.bottom <= page.bottom; })()";
    browser.wait(inside);
    browser.picture("pages-turned", DESK);
    browser.press("ttt");
    browser.wait(&format!("!{lies}"));
    // Jump to a page, by key and by its small picture.
    browser.press("p");
    browser.wait("document.activeElement.id === 'desk-go-to'");
    browser.press("2");
    browser.press(ENTER);
    said(&browser, "Page 2.");
    browser.wait("document.querySelector('.desk-strip a[aria-current]').dataset.page === '2'");
    browser.run("document.querySelector('.desk-strip a[data-page=\"3\"]').click()");
    said(&browser, "Page 3.");
    // The text is there, too, and the next document is shown alike.
    browser.press("v");
    browser.wait("document.querySelector('.desk-view:not([hidden])').dataset.view === 'text'");
    browser.wait("document.querySelector('mark.chosen')?.textContent.includes('negative')");
    browser.picture("pages-text", DESK);
    assert_eq!(browser.serious(), [""; 0]);
    browser.run("location.reload()");
    browser.wait("document.querySelector('.desk-view[data-view=text]:not([hidden])')");
    browser.press("v");
    browser.wait("document.querySelector('.desk-view:not([hidden])').dataset.view === 'pages'");
    // A passage that is clicked chooses its field.
    go_to(&browser, "margins");
    let at = browser.run("const at = [...document.querySelectorAll('.desk-place[data-evidence]')].find((one) => one.getAttribute('aria-label').startsWith('histology')).querySelector('rect').getBoundingClientRect(); return [at.left + at.width / 2, at.top + at.height / 2].map(Math.round)");
    browser.click(&at);
    browser.wait("document.querySelector('.desk-field[aria-current]').dataset.field === 'histology'");
    assert_eq!((browser.noted(), desk.decisions()), (vec![], 0));
    // The keys of decisions work as ever.
    browser.press("a");
    said(&browser, "histology: accepted");
    browser.press("w");
    browser.wait("document.activeElement.id === 'right-type'");
    browser.picture("pages-type", DESK);
    assert_eq!(desk.decisions(), 1);
}

#[test]
#[ignore = "long"]
fn a_scan_of_several_pages_is_followed_to_its_end() {
    let Some(browser) = Browser::start(&["--force-dark-mode", "--blink-settings=preferredColorScheme=0"])
    else {
        return;
    };
    let desk = Desk::of_pages(&[&[], &[], &[]]);
    open_without_fields(&browser, &desk);
    browser.wait("document.querySelectorAll('.desk-page').length === 3");
    browser.wait("[...document.querySelectorAll('.desk-page img')].every((one) => one.naturalWidth > 0)");
    assert_eq!(browser.run("return document.querySelector('#page-3').getAttribute('aria-label')"), "Page 3");
    browser.press("+");
    said(&browser, "Pages at 125 %.");
    browser.picture("scan-dark", DESK);
    assert_eq!(browser.serious(), [""; 0]);
    assert_eq!(browser.noted(), [""; 0]);
}

fn open_without_fields(browser: &Browser, desk: &Desk) {
    browser.open(&format!("http://{}/login#token={}", desk.server.address, desk.anna));
    browser.wait("location.pathname === '/'");
    browser.watch();
    browser.open(&format!("http://{}{}", desk.server.address, desk.address(REPORT, "")));
    browser.wait("document.querySelector('.desk-page')");
}

#[test]
#[ignore = "long"]
fn an_image_is_a_page_with_the_same_tools() {
    let Some(browser) = Browser::start(&[]) else { return };
    let desk = Desk::of_pages(&PAGES);
    let picture = desk.get(&desk.anna, &desk.address(REPORT, "pages/1?scale=1")).is(200);
    let place = Workspace::new();
    place.write("report.png", &picture.body);
    place.run(&["run", "--quiet", "--profile", "clinical", "--journal", JOURNAL, "report.png"]);
    let desk = Desk::serve(place);
    open_without_fields(&browser, &desk);
    browser.wait("document.querySelector('.desk-page img').naturalWidth === 595");
    browser.press("t");
    said(&browser, "Page 1 is turned by 90 degrees.");
    let shape = "(() => { const page = document.querySelector('.desk-page'); return page.offsetWidth > page.offsetHeight; })()";
    browser.wait(shape);
    browser.press("+");
    browser.picture("image", DESK);
    assert_eq!(browser.serious(), [""; 0]);
    assert_eq!(browser.noted(), Vec::<String>::new());
}

/// A picture turned to the left by a quarter, in shades of grey.
fn on_its_side(picture: &[u8]) -> Vec<u8> {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(picture));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().unwrap();
    let mut samples = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut samples).unwrap();
    let shade = |x: usize, y: usize| samples[y * frame.line_size + x * frame.color_type.samples()];
    let (width, height) = (frame.width as usize, frame.height as usize);
    let shades: Vec<u8> =
        (0..width).rev().flat_map(|x| (0..height).map(move |y| (x, y))).map(|(x, y)| shade(x, y)).collect();
    let mut turned = Vec::new();
    let mut encoder = png::Encoder::new(&mut turned, frame.height, frame.width);
    encoder.set_color(png::ColorType::Grayscale);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&shades).unwrap();
    writer.finish().unwrap();
    turned
}

#[test]
#[ignore = "long"]
fn a_scan_that_lies_on_its_side_is_shown_upright() {
    let Some(browser) = Browser::start(&[]) else { return };
    let desk = Desk::of_pages(&PAGES);
    let picture = desk.get(&desk.anna, &desk.address(REPORT, "pages/1?scale=3")).is(200);
    let place = Workspace::new();
    place.write("report.png", on_its_side(&picture.body));
    place.run(&[
        "run",
        "--quiet",
        "--profile",
        "clinical",
        "--type",
        "pathology",
        "--journal",
        JOURNAL,
        "report.png",
    ]);
    let desk = Desk::serve(place);
    if !desk.page(&desk.anna, REPORT).contains("data-turn=\"90\"") {
        let is_required = std::env::var("LOOPCTL_TESSERACT").is_ok_and(|need| need == "required");
        assert!(!is_required, "the page is not read upright: {}", desk.page(&desk.anna, REPORT));
        eprintln!("tesseract is not there, so nothing was tried");
        return;
    }
    open(&browser, &desk, REPORT);
    go_to(&browser, "histology");
    seen(&browser, ".desk-place.chosen");
    let is_wide = |selector: &str| {
        browser.run(&format!("const at = document.querySelector('{selector}').getBoundingClientRect(); return at.width > at.height")) == json!(true)
    };
    // The page stands, and the lines on it run across.
    assert!(!is_wide("#page-1") && is_wide(".desk-place.chosen rect"));
    browser.wait("document.querySelector('#page-1[data-worded=placed]')");
    browser.picture("scan-upright", DESK);
    let ink = browser.run_until_done(INK);
    assert!(ink["inside"].as_f64().unwrap() > 0.05, "{ink}");
    // The word under the middle of the box is one of the passage.
    let word = browser.run(
        "const at = document.querySelector('.desk-place.chosen rect').getBoundingClientRect();
         return document.elementsFromPoint(at.left + 0.5 * at.width, at.top + at.height / 2).find((one) => one.tagName === 'tspan')?.textContent",
    );
    assert!(word.as_str().is_some_and(|word| PAGES[0][4].contains(word)), "{word}");
    browser.press("t");
    said(&browser, "Page 1 is turned by 180 degrees.");
    assert!(is_wide("#page-1") && !is_wide(".desk-place.chosen rect"));
    browser.press("ttt");
    said(&browser, "Page 1 is turned by 90 degrees.");
    assert!(!is_wide("#page-1") && is_wide(".desk-place.chosen rect"));
    assert_eq!(browser.serious(), [""; 0]);
    assert_eq!(browser.noted(), [""; 0]);
}
