/** The languages that customers write in, and their names. */

export interface Language {
  /** Its share of all testimonials. */
  share: number;
  firstNames: string[];
  lastNames: string[];
}

const list = (text: string) => text.trim().split(/\s+/);

export const languages: Record<string, Language> = {
  english: {
    share: 0.6,
    firstNames: list(
      'James Mary Robert Linda David Susan Daniel Karen Emma Noah Olivia Liam Grace Henry Alice Oscar',
    ),
    lastNames: list(
      'Smith Jones Taylor Brown Davies Evans Wilson Walker Green Baker Turner Hill Cooper Ward Price',
    ),
  },
  german: {
    share: 0.15,
    firstNames: list(
      'Jürgen Anna Lukas Sophie Jörg Käthe Felix Marie Björn Greta Paul Lena Günther Ida Max Nele',
    ),
    lastNames: list(
      'Müller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schäfer Koch Bauer Richter Krüger',
    ),
  },
  french: {
    share: 0.1,
    firstNames: list(
      'Chloé Hugo Léa Jules Élodie Louis Inès Théo Zoé Gabriel Agnès Rémi Hélène Noé Maëlle Loïc',
    ),
    lastNames: list(
      'Martin Bernard Dubois Durand Lefèvre Moreau Laurent Simon Michel Garnier Lefebvre Béranger',
    ),
  },
  spanish: {
    share: 0.1,
    firstNames: list(
      'Lucía Mateo Sofía Diego Martina Álvaro Julia Pablo Inés Andrés Carmen Íñigo Elena Raúl Nuria',
    ),
    lastNames: list(
      'García Fernández López Martínez Sánchez Pérez Gómez Díaz Muñoz Álvarez Núñez Ibáñez Peña',
    ),
  },
  italian: {
    share: 0.05,
    firstNames: list(
      'Giulia Luca Niccolò Chiara Matteo Sara Andrea Elena Davide Anna Marco Irene Paolo Noemi',
    ),
    lastNames: list(
      'Rossi Russo Ferrari Esposito Bianchi Romano Colombo Ricci Marino Greco Bruno Gallo Conti',
    ),
  },
};
