//! Pure functions: numbers in, estimates out. Imports nothing of ours, knows no judge, file, clock or network.
//!
//! Every figure is an [`Estimate`] (a point with an interval, its method, level and number of units) or a
//! [`NotEstimable`] with its reason: never `NaN`, never a silent 0. p-values without information are 1. All chance
//! comes from a [`Seed`] and its numbered streams, so a result is a function of the data, the options and the seed,
//! whatever the number of threads.
//!
//! The unit is the item, or the group of items that belong together, not the call.
//!
//! | question | function |
//! |---|---|
//! | how sure is a share? | [`proportion::wilson`] shown, [`proportion::clopper_pearson`] for gates, [`proportion::exact_bounds`] one-sided |
//! | how sure is a difference of two shares? | [`proportion::newcombe_difference`]; tests: [`two_proportions::fisher_exact`] |
//! | is a share more than chance? | [`binomial::binomial_test`] |
//! | how many items certify a limit? | [`proportion::smallest_certifying_n`] |
//! | do two paired arms differ? | [`binomial::mcnemar`], by how much: [`paired::tango_difference`]; graded: [`permutation::sign_flip`], [`binomial::sign_test`] |
//! | how sure is any statistic of items or groups? | [`resample::bca`]; few groups: [`resample::t_clustered`] |
//! | how sure is a plain or stratified mean? what are clustered items worth? | [`mean::mean`], [`mean::stratified_mean`], [`mean::design_effect`] |
//! | how sure is a mean of scores within a range, near its end too? | [`bounded::wilson_mean`]; of differences: [`bounded::t_adjusted`] |
//! | which of several p-values stand? | [`multiplicity::adjust`] |
//! | how many items does it take, what could be found? | [`power`]: [`power::detectable_share`], [`power::detectable_difference`], [`power::mcnemar_detectable`], sample sizes |
//! | may we stop already? | [`sequential::kelly_sequence`] graded, [`sequential::beta_mixture_sequence`] binary |
//! | do judge and gold agree beyond chance? | [`agreement::Confusion`]: kappa, AC1; [`agreement::krippendorff_alpha`], [`agreement::fleiss_kappa`] |
//! | the same from a resample? | [`agreement::kappa_of_cells`], [`cells`]: AC1, alpha, Fleiss |
//! | where does the judge err? | [`agreement::Confusion`]: recall, half credit, decided, MCC, F1 ([`classify`]) |
//! | is the judge as good as one more human? | [`annotators::human_ceiling`], [`annotators::alt_test`] |
//! | what do both orders say together? | [`outcomes::OutcomeCounts`] |
//! | is it position bias or noise? | [`repeats::repeats`] |
//! | what shifts the verdict, other things equal? | [`glm::logistic`]; [`length_control::length_controlled_win_rate`] |
//! | does the judge favour its own family? | [`self_preference::self_preference`] |
//! | what would humans have said? | [`ppi_adjusted::ppi_mean_adjusted`] with random gold, else [`correction::rogan_gladen`], [`correction::pooled_accuracy_correction`] |
//! | how strong is each system? | [`rating::bradley_terry`], errors [`rating::sandwich_covariance`], fit [`rating::fit_test`]; ties [`ties::davidson`] |
//! | how much is the judge's own noise? | [`variance::one_way`], [`variance::crossed`], [`variance::optimal_repeats`] |
//! | did it get worse? | [`change::verdict`] |
//! | can probabilities be trusted? | [`probability`]: log loss, Brier, calibration error, selective risk, AUROC |
//! | how close are ratings? | [`numeric`]: correlations, errors, ranked probability score |
//! | how good is a ranked list? | [`ranking::ranked_quality`] |
//! | how close is a generated text? | [`text`]: ROUGE-L, exact match, pass@k, perplexity; [`ngram`]: BLEU, chrF |
//! | what does a pre-annotation filter keep? | [`prefilter`] |

mod estimate;
mod newton;
pub mod seed;
pub mod special;

pub mod binomial;
pub mod multiplicity;
pub mod paired;
pub mod proportion;
pub mod two_proportions;

pub mod mean;
pub mod permutation;
pub mod power;
pub mod resample;
pub mod sequential;

pub mod agreement;
pub mod annotators;
pub mod bounded;
pub mod cells;
pub mod change;
pub mod classify;
pub mod clustered;
pub mod correction;
pub mod glm;
pub mod length_control;
pub mod outcomes;
pub mod ppi;
pub mod ppi_adjusted;
pub mod rating;
pub mod repeats;
pub mod self_preference;
pub mod ties;
pub mod variance;

pub mod ngram;
pub mod numeric;
pub mod prefilter;
pub mod probability;
pub mod ranking;
pub mod text;

pub use estimate::{Estimate, Figure, Level, NotEstimable, Reason, serialize_figure};
pub use seed::Seed;

#[cfg(test)]
mod golden_tests;
