//! Charts: numbers and texts in, SVG out. Colours are classes, so the page's light and dark variables apply; every
//! colour has a shape beside it; horizontal places are percent, so a chart is as crisp on a phone as on paper.

mod axis;
mod bar;
mod confusion;
mod flow;
mod histogram;
mod label;
mod plane;
mod strip;
mod svg;

pub(super) use axis::Axis;
pub(super) use bar::{Segment, bar, swatch};
pub(super) use confusion::{Labels, confusion};
pub(super) use flow::{FlowLabels, flow};
pub(super) use histogram::{Bar, Histogram, histogram};
pub(super) use plane::{Guide, Plane, Point, plane};
pub(super) use strip::{Mark, Strip, scale, strip};
