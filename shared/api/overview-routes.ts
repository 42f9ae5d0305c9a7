import { CostQuery, QualityCost } from '../quality/cost.ts';
import { BudgetForecast } from '../quality/forecast.ts';
import { QualityModels, QualityTrend, QualityView, TrendQuery } from '../quality/schemas.ts';
import { CascadeQuery, CascadeView, PinBody, ResetBody } from './cascade-schemas.ts';
import type { Route } from './route.ts';
import { Health, StatusView } from './schemas.ts';

/** What concerns no single task: counts, quality, what the cascade has learned. */
export const OVERVIEW_ROUTES = {
  status: {
    method: 'GET',
    path: '/status',
    function: 'api-read',
    callers: ['operator'],
    right: 'read',
    summary: 'Counts by status and role, and the verification nudge',
    answer: StatusView,
  },
  cascade: {
    method: 'GET',
    path: '/cascade',
    function: 'api-read',
    callers: ['operator'],
    right: 'read',
    summary: 'What is believed of the models, from how many observations, and what people have said on it',
    query: CascadeQuery,
    answer: CascadeView,
  },
  pinTier: {
    method: 'POST',
    path: '/cascade/{role}/pin',
    function: 'api-submit',
    callers: ['operator'],
    right: 'review',
    summary: 'Have one tier try first for a role, or lift that',
    body: PinBody,
    answer: CascadeView,
  },
  resetLearned: {
    method: 'POST',
    path: '/cascade/{role}/reset',
    function: 'api-submit',
    callers: ['operator'],
    right: 'review',
    summary: 'Forget what was learned of a tier for a role, or of all tiers',
    body: ResetBody,
    answer: CascadeView,
  },
  quality: {
    method: 'GET',
    path: '/quality',
    function: 'api-read',
    callers: ['operator'],
    right: 'read',
    summary: 'How tasks, models and gates fare: success, times, pass rates',
    answer: QualityView,
  },
  qualityModels: {
    method: 'GET',
    path: '/quality/models',
    function: 'api-read',
    callers: ['operator'],
    right: 'read',
    summary: 'The models of the last 30 days',
    answer: QualityModels,
  },
  qualityTrend: {
    method: 'GET',
    path: '/quality/trend',
    function: 'api-read',
    callers: ['operator'],
    right: 'read',
    summary: 'Tasks, cost and gates by day or week',
    query: TrendQuery,
    answer: QualityTrend,
  },
  qualityCost: {
    method: 'GET',
    path: '/quality/cost',
    function: 'api-read',
    callers: ['operator'],
    right: 'read',
    summary: 'What work costs: by day, role, model, tier, repository, and what became of it',
    query: CostQuery,
    answer: QualityCost,
  },
  budgetForecast: {
    method: 'GET',
    path: '/quality/budget-forecast',
    function: 'api-read',
    callers: ['operator'],
    right: 'read',
    summary: 'What the tasks that have not ended will cost, against the budget of the month',
    answer: BudgetForecast,
  },
  health: {
    method: 'GET',
    path: '/health',
    function: 'api-read',
    callers: ['anyone'],
    summary: 'Is the API up',
    answer: Health,
  },
} as const satisfies Record<string, Route>;
