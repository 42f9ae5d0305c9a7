/** Who looks at the pictures of the application: nobody, rules on their pixels, or a model. */
export const VISION_VERIFIERS = ['noop', 'heuristic', 'llm_vision'] as const;

export const VISION_CATEGORIES = ['requirements_mismatch', 'missing_element', 'visual_defect'] as const;
