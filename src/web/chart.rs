//! Lines over time as SVG, to stand in a page. The picture names classes and no colours: the style sheet
//! gives them, one for light and one for dark.

use std::ops::Range;

use chrono::{DateTime, Utc};
use plotters::chart::ChartBuilder;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::drawing::{DrawingAreaErrorKind, IntoDrawingArea as _};
use plotters::prelude::{Color as _, IntoFont as _, LineSeries, RGBColor, SVGBackend};

use super::text::Message;

/// A picture and its legend.
#[derive(Debug, Clone)]
pub struct Picture {
    /// What it shows.
    pub title: Message,
    /// The drawing; none while there is nothing to draw.
    pub svg: Option<String>,
    /// Each line's class and name.
    pub legend: Vec<(&'static str, Message)>,
}

/// A line of the picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// What the style sheet knows it by.
    pub class: &'static str,
    /// Times, ms since the epoch, in order, and what was then.
    pub points: Vec<(i64, f64)>,
}

/// Points of the drawing, which the page scales to its width. Whole numbers only reach the SVG, so it is
/// drawn large.
const SIZE: (u32, u32) = (960, 520);
/// Readable when a phone scales it down to a third.
const FONT: i32 = 36;
const X_LABELS: usize = 4;
const Y_LABELS: usize = 5;

/// What the drawing library is told as colours, to be turned into classes.
const GRID: RGBColor = RGBColor(1, 1, 0);
const AXIS: RGBColor = RGBColor(1, 2, 0);
const TEXT: RGBColor = RGBColor(1, 3, 0);

const fn colour_of(line: u8) -> RGBColor {
    RGBColor(2, line, 0)
}

/// Draws the lines; `label` describes the picture to those who do not see it. `None`: there is nothing to
/// draw. Points that are no numbers are left out.
#[must_use]
pub fn draw(label: &str, lines: &[Line]) -> Option<String> {
    let lines: Vec<Line> = lines.iter().map(drawable).collect();
    let points = || lines.iter().flat_map(|line| &line.points);
    let from_ms = points().map(|(at, _)| *at).min()?;
    // One point alone has a second to itself.
    let until_ms = points().map(|(at, _)| *at).max()?.max(from_ms.saturating_add(1000));
    let highest = points().map(|(_, value)| *value).fold(0.0, f64::max);
    let mut svg = String::new();
    match drawn(&mut svg, &lines, Time { from_ms, until_ms }, highest) {
        Ok(()) => Some(classed(&svg, label, &lines)),
        Err(error) => {
            tracing::error!(%error, "a picture could not be drawn");
            None
        }
    }
}

fn drawable(line: &Line) -> Line {
    let points = line.points.iter().filter(|(_, value)| value.is_finite() && value.abs() < 1e15);
    Line { class: line.class, points: points.copied().collect() }
}

fn drawn(
    svg: &mut String,
    lines: &[Line],
    time: Time,
    highest: f64,
) -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    let top = if highest > 0.0 { highest * 1.06 } else { 1.0 };
    // As wide as the largest number needs.
    let digits = i32::try_from(amount(top).len()).unwrap_or(8).max(3);
    let mut chart = ChartBuilder::on(&area)
        .margin(14)
        .margin_right(50)
        .x_label_area_size(56)
        .y_label_area_size(24 + digits * 18)
        .build_cartesian_2d(time, 0.0..top)?;
    let text = ("sans-serif", FONT).into_font().color(&TEXT);
    chart
        .configure_mesh()
        .disable_x_mesh()
        .bold_line_style(GRID.stroke_width(2))
        .light_line_style(GRID.mix(0.0))
        .axis_style(AXIS.stroke_width(2))
        .label_style(text)
        .x_labels(X_LABELS)
        .y_labels(Y_LABELS)
        .y_label_formatter(&|value| amount(*value))
        .draw()?;
    for (number, line) in (0_u8..).zip(lines) {
        let style = colour_of(number).stroke_width(4);
        chart.draw_series(LineSeries::new(line.points.iter().copied(), style))?;
    }
    drop(chart);
    area.present()
}

/// A number at the axis: 0.5, 12, 1200, 3.4M.
fn amount(value: f64) -> String {
    if value >= 1e6 {
        format!("{:.1}M", value / 1e6)
    } else if value >= 1e4 {
        format!("{:.0}k", value / 1e3)
    } else if value < 10.0 && value.fract() > 0.001 {
        // As many decimals as tell one label from the next.
        let text = format!("{value:.2}");
        text.strip_suffix('0').unwrap_or(&text).to_owned()
    } else {
        format!("{value:.0}")
    }
}

/// Puts classes in the place of colours, and a description in the place of the size.
fn classed(svg: &str, label: &str, lines: &[Line]) -> String {
    let (_, content) = svg.split_once('>').unwrap_or_default();
    let mut content = content.to_owned();
    let parts = [(GRID, "chart-grid"), (AXIS, "chart-axis"), (TEXT, "chart-text")];
    let lines = (0_u8..).zip(lines).map(|(number, line)| (colour_of(number), line.class));
    for (RGBColor(red, green, blue), class) in parts.into_iter().chain(lines) {
        let colour = format!("\"#{red:02X}{green:02X}{blue:02X}\"");
        for attribute in ["stroke", "fill"] {
            let was = format!("{attribute}={colour}");
            content = content.replace(&was, &format!("class=\"{class}\""));
        }
    }
    let (width, height) = SIZE;
    let label = escaped(label);
    format!(
        "<svg class=\"chart\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{label}\">{content}"
    )
}

/// A number for the drawing, where the last of fifteen digits does not show.
#[allow(clippy::cast_precision_loss, reason = "a picture has no room for the difference")]
#[must_use]
pub const fn real(number: i64) -> f64 {
    number as f64
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// An axis of times whose labels are round ones, in UTC.
#[derive(Debug, Clone, Copy)]
struct Time {
    from_ms: i64,
    until_ms: i64,
}

/// Distances between labels, seconds.
const STEPS_S: [i64; 19] = [
    1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400,
    172_800,
];

impl Time {
    fn length_ms(self) -> i64 {
        self.until_ms.saturating_sub(self.from_ms).max(1)
    }
}

impl Ranged for Time {
    type FormatOption = NoDefaultFormatting;
    type ValueType = i64;

    fn map(&self, value: &i64, (left, right): (i32, i32)) -> i32 {
        let width = i128::from(right) - i128::from(left);
        let passed = i128::from(*value) - i128::from(self.from_ms);
        let place = i128::from(left) + passed * width / i128::from(self.length_ms());
        i32::try_from(place).unwrap_or(left)
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<i64> {
        let most = i64::try_from(hint.bold_points().clamp(1, 12)).unwrap_or(1);
        let fits = |step: &i64| self.length_ms() / (step * 1000) <= most;
        let week_s = 7 * 86_400;
        let many_weeks_s = (self.length_ms() / 1000 / week_s / most + 1).saturating_mul(week_s);
        let step_ms = STEPS_S.into_iter().find(fits).unwrap_or(many_weeks_s) * 1000;
        let first = self.from_ms.saturating_add(step_ms - 1).div_euclid(step_ms);
        (first..)
            .map(|number| number.saturating_mul(step_ms))
            .take_while(|at| *at <= self.until_ms)
            .take(16)
            .collect()
    }

    fn range(&self) -> Range<i64> {
        self.from_ms..self.until_ms
    }
}

impl ValueFormatter<i64> for Time {
    fn format_ext(&self, at_ms: &i64) -> String {
        let pattern = match self.length_ms() / 1000 {
            ..300 => "%H:%M:%S",
            300..172_800 => "%H:%M",
            _ => "%m-%d",
        };
        DateTime::<Utc>::from_timestamp_millis(*at_ms)
            .unwrap_or_default()
            .format(pattern)
            .to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::{Line, amount, draw};

    const NOON: i64 = 1_795_953_600_000;

    fn line(points: &[(i64, f64)]) -> Line {
        Line { class: "line-left", points: points.to_vec() }
    }

    /// Each tag is closed by its own, each attribute quoted: what a browser and any reader of XML take.
    fn is_well_formed(svg: &str) {
        let mut open = Vec::new();
        let mut rest = svg;
        while let Some((text, tag)) = rest.split_once('<') {
            assert!(!text.contains('>') && !text.contains('&'), "{text}");
            let (tag, after) = tag.split_once('>').expect("a tag's end");
            rest = after;
            assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop().as_deref(), Some(name));
            } else if !tag.ends_with('/') {
                open.push(tag.split(' ').next().unwrap().to_owned());
            }
        }
        assert!(rest.trim().is_empty() && open.is_empty(), "{rest} {open:?}");
    }

    fn is_good(svg: &str) {
        is_well_formed(svg);
        assert!(svg.starts_with("<svg class=\"chart\" viewBox="));
        for refused in ["style=", "<script", "http", "onload", "#0", "NaN", "inf"] {
            assert!(!svg.contains(refused), "{refused} in {svg}");
        }
    }

    #[test]
    fn a_picture_is_drawn_of_whatever_there_is() {
        assert_eq!(draw("nothing", &[]), None);
        assert_eq!(draw("nothing", &[line(&[])]), None);
        assert_eq!(draw("no numbers", &[line(&[(NOON, f64::NAN), (NOON, f64::INFINITY)])]), None);
        let pictures: &[&[(i64, f64)]] = &[
            &[(NOON, 1.0)],
            &[(NOON, 0.0), (NOON, 0.0)],
            &[(NOON, 5.0), (NOON + 1, 0.0)],
            &[(NOON, 1e14), (NOON + 1000, 3.0)],
            &[(NOON, -5.0), (NOON + 1000, f64::NAN), (NOON + 2000, 7.5)],
            &[(NOON + 5000, 1.0), (NOON, 2.0)],
            &[(i64::MIN, 1.0), (i64::MAX, 2.0)],
            &[(0, 1.0), (i64::MAX, 1.0)],
        ];
        for points in pictures {
            is_good(&draw("a line", &[line(points)]).expect("a picture"));
        }
    }

    #[test]
    fn a_label_is_as_short_as_it_can_be() {
        let labels = [0.0, 0.05, 0.5, 2.0, 2.5, 12.0, 1200.0, 12_000.0, 3_400_000.0].map(amount);
        assert_eq!(labels, ["0", "0.05", "0.5", "2", "2.5", "12", "1200", "12k", "3.4M"]);
    }

    #[test]
    fn lines_and_times_carry_their_names() {
        let paid = Line { class: "line-paid", points: vec![(NOON, 0.0), (NOON + 60_000, 40.0)] };
        let left = line(&[(NOON, 100.0), (NOON + 60_000, 60.0)]);
        let svg = draw("Units \"left\" <b>&", &[left, paid]).unwrap();
        is_good(
            &svg.replace("&quot;", "").replace("&lt;", "").replace("&gt;", "").replace("&amp;", ""),
        );
        assert!(svg.contains("aria-label=\"Units &quot;left&quot; &lt;b&gt;&amp;\""));
        assert!(svg.contains("class=\"line-left\"") && svg.contains("class=\"line-paid\""));
        assert!(svg.contains("12:00:30") && svg.contains(">\n100\n<"), "{svg}");
    }

    #[test]
    fn a_long_history_has_round_times() {
        for hours in [1, 5, 30, 100, 24 * 40, 24 * 4000] {
            let end = NOON + hours * 3_600_000;
            let svg = draw("long", &[line(&[(NOON, 3.0), (end, 1.0)])]).unwrap();
            is_good(&svg);
            let labels = svg.matches("class=\"chart-text\"").count();
            assert!((5..20).contains(&labels), "{hours}: {svg}");
        }
    }
}
